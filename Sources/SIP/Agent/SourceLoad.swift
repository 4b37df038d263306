/// How many server transactions each address keeps here.
struct SourceLoad {
    private var transactions: [String: Int] = [:]
    private var owners: [TransactionKey: String] = [:]

    var count: Int { owners.count }

    func transactions(of host: String) -> Int { transactions[host] ?? 0 }

    mutating func add(_ key: TransactionKey, host: String) {
        guard owners.updateValue(host, forKey: key) == nil else { return }
        transactions[host, default: 0] += 1
    }

    mutating func remove(_ key: TransactionKey) {
        guard let host = owners.removeValue(forKey: key), let number = transactions[host] else { return }
        transactions[host] = number > 1 ? number - 1 : nil
    }
}
