import CRealtime
import Glibc

/// Wakes a thread that polls: an eventfd, whose write never blocks. Where only this is waited for a `Bell` costs less.
///
/// A handle, not an owner: whoever opened it closes it, after all threads that signal it have ended.
public struct EventSignal: Sendable, BitwiseCopyable {
    /// Readable while something was signalled and not drained; for `poll`.
    public let fileDescriptor: Int32

    public init() throws(RealtimeError) {
        fileDescriptor = crt_event_open()
        if fileDescriptor < 0 { throw .noDescriptor(errno: errno) }
    }

    /// Two of them, or none: where descriptors are short, the first is not kept.
    public static func pair() throws(RealtimeError) -> (EventSignal, EventSignal) {
        let first = try EventSignal()
        do {
            return (first, try EventSignal())
        } catch {
            first.close()
            throw error
        }
    }

    /// Makes the descriptor readable. Never blocks; several signals count as one.
    @_noLocks
    public func signal() { crt_event_signal(fileDescriptor) }

    /// Makes the descriptor unreadable again.
    public func drain() { crt_event_drain(fileDescriptor) }

    /// Gives the descriptor back.
    public func close() { _ = Glibc.close(fileDescriptor) }
}
