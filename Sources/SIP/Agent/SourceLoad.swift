/// How many server transactions each address, and each call, keeps here.
struct SourceLoad {
    private var transactions: [String: Int] = [:]
    private var owners: [TransactionKey: String] = [:]

    var count: Int { owners.count }

    func transactions(of owner: String) -> Int { transactions[owner] ?? 0 }

    mutating func add(_ key: TransactionKey, owner: String) {
        guard owners.updateValue(owner, forKey: key) == nil else { return }
        transactions[owner, default: 0] += 1
    }

    /// From now on the transaction counts with another owner, where it is that one's.
    mutating func move(_ key: TransactionKey, from former: String, to owner: String) {
        guard owners[key] == former else { return }
        remove(key)
        add(key, owner: owner)
    }

    mutating func remove(_ key: TransactionKey) {
        guard let owner = owners.removeValue(forKey: key), let number = transactions[owner] else { return }
        transactions[owner] = number > 1 ? number - 1 : nil
    }
}
