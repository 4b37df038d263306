import Realtime

/// Values handed from one ordinary thread to another, with a descriptor to wait on.
///
/// Takes a lock, so it is for the media thread and above; render threads never see it.
public final class Mailbox<Value: Sendable>: Sendable {
    private let values = Lock<[Value]>([])
    /// Readable while something waits.
    public let signal: EventSignal

    /// Which values are kept; asked by whoever posts.
    private let admits: (@Sendable (Value) -> Bool)?

    /// - Parameter admits: which values are kept; nil keeps all.
    public init(admits: (@Sendable (Value) -> Bool)? = nil) throws(RealtimeError) {
        self.admits = admits
        signal = try EventSignal()
    }

    deinit { signal.close() }

    /// Puts `value` behind the others.
    public func post(_ value: Value) {
        if let admits, !admits(value) { return }
        values.withLock { $0.append(value) }
        signal.signal()
    }

    /// Takes everything that waits, oldest first.
    public func takeAll() -> [Value] {
        signal.drain()
        return values.withLock { waiting in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
    }
}
