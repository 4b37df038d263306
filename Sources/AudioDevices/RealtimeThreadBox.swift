import Realtime
import Threads

/// Holds a thread that is joined if it ends in time, else left to itself.
///
/// Sendable: only the owner that stops the device calls `end`; the rest is constant.
final class RealtimeThreadBox: @unchecked Sendable {
    private var thread: RealtimeThread?
    /// The SCHED_FIFO priority it runs at; `nil` is ordinary scheduling.
    let priority: Int?

    /// Readable once the thread has ended.
    private let finished: EventSignal

    init(_ thread: consuming RealtimeThread, finished: EventSignal) {
        self.finished = finished
        if case .realtime(let priority) = thread.granted { self.priority = priority } else { priority = nil }
        self.thread = consume thread
    }

    /// Joins the thread once it has ended, or lets go of it after `milliseconds`.
    func end(milliseconds: Double) {
        guard let thread = thread.take() else { return }
        if ALSAEngine.wait(finished, milliseconds: milliseconds) { thread.join() }
    }
}
