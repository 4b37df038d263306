public import Realtime
internal import Threads

/// The history of calls and texts while a service runs. What it is told waits in a queue with an end, and a thread of its own writes it: no call
/// waits for a disk.
///
/// Where the database cannot be opened or written to, calls go on: `trouble` says what is wrong, what waits is tried again, and what
/// finds no place in the queue is counted.
public final class CallHistory: Sendable {
    private let writer: HistoryWriter
    private let thread: Lock<RealtimeThread?>

    /// Opens the database, or makes it, on a thread of its own.
    /// - Parameters:
    ///   - path: the database's file; its folder must be there.
    ///   - retention: what is kept.
    ///   - capacity: calls and texts whose news may wait for the disk at once.
    ///   - retryMilliseconds: when what could not be done is tried again.
    ///   - onTrouble: is told what is wrong once, and `nil` when it is well again; on the thread that writes.
    /// - Throws: no thread or descriptor is left.
    public init(
        path: String, retention: HistoryRetention, capacity: Int = 1024, retryMilliseconds: Double = 5000,
        onTrouble: @escaping @Sendable (HistoryError?) -> Void
    ) throws(RealtimeError) {
        let writer = try HistoryWriter(
            path: path, retention: retention, capacity: capacity, retryMilliseconds: retryMilliseconds, onTrouble: onTrouble)
        self.writer = writer
        thread = Lock(try RealtimeThread(name: "history", owning: writer) { $0.run() })
    }

    deinit { close() }

    /// Takes note of a call as it is now. Never waits.
    public func note(_ entry: CallEntry) { writer.note(.call(entry)) }

    /// Takes note of a text as it is now. Never waits.
    /// - Parameter entry: the text.
    public func note(_ entry: TextEntry) { writer.note(.text(entry)) }

    /// Keeps a setting over restarts, beside the calls; `nil` forgets it. Never waits.
    public func keep(_ value: String?, as name: String) { writer.keep(value, as: name) }

    /// Settings as they were kept before the service began; `nil`: the database is not open yet.
    public var kept: [String: String]? { writer.state.withLock { $0.kept } }

    /// Calls and texts of which something was not written, because too many waited, or the end came.
    public var lost: UInt64 { writer.state.withLock { $0.lost } }
    /// Calls and texts that were written, again or for the first time.
    public var written: UInt64 { writer.state.withLock { $0.written } }
    /// What is wrong with the database; `nil`: nothing is known to be.
    public var trouble: HistoryError? { writer.state.withLock { $0.trouble } }

    /// For whoever reads.
    /// - Throws: why it cannot be read.
    public func reader() throws(HistoryError) -> HistoryReader { try writer.reader() }

    /// Writes what waits, where that can be done, and closes the database.
    public func close() {
        guard let running = thread.withLock({ $0.take() }) else { return }
        writer.stop()
        running.join()
    }
}
