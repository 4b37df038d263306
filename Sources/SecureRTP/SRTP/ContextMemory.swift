/// What protects or opens packets under one master key.
protocol KeyedContext: AnyObject {
    var key: SRTPMasterKey { get }
    init(_ key: SRTPMasterKey) throws(SRTPError)
}

/// The contexts of the master keys that were used last. Who goes back to one of these goes on where it was left: under the same
/// rollover counter, so that no keystream is used twice, and with the same replay window, so that what was heard once is not
/// heard again (RFC 3711 section 9.1).
struct ContextMemory<Context: KeyedContext> {
    /// Keys that are remembered, those in force included. Each costs a context of libsrtp2, and one more for each source under it.
    private let capacity: Int
    /// The one used last is the last one.
    private(set) var contexts: [Context] = []

    init(capacity: Int) { self.capacity = capacity }

    /// The context of `key`, which is the one used last from now on.
    /// - Returns: it, and one that was forgotten for it.
    mutating func context(of key: SRTPMasterKey) throws(SRTPError) -> (context: Context, forgotten: Context?) {
        if let index = contexts.firstIndex(where: { $0.key == key }) {
            contexts.append(contexts.remove(at: index))
            return (contexts[contexts.count - 1], nil)
        }
        let new = try Context(key)
        let forgotten = contexts.count >= capacity ? contexts.removeFirst() : nil
        contexts.append(new)
        return (new, forgotten)
    }
}
