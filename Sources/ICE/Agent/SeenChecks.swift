import Link

/// Transactions of the peer's latest checks, each with the address that it came from first. A check that somebody recorded and
/// sends again from his own address carries a valid integrity: his address must not be taken for the peer's.
struct SeenChecks {
    /// About half an hour of a call's consent checks.
    private static let capacity = 1024

    private var sources: [TransactionID: SocketAddress] = [:]
    /// In order of arrival, as a ring.
    private var order: [TransactionID] = []
    private var oldest = 0

    /// Whether the transaction comes from where it came first.
    mutating func isOriginal(_ id: TransactionID, from source: SocketAddress) -> Bool {
        if let first = sources[id] { return first == source }
        if order.count < Self.capacity {
            order.append(id)
        } else {
            sources[order[oldest]] = nil
            order[oldest] = id
            oldest = (oldest + 1) % Self.capacity
        }
        sources[id] = source
        return true
    }
}
