import Realtime

/// Holds a thread that is joined if it ends in time, else left to itself.
final class RealtimeThreadBox: @unchecked Sendable {
    private var thread: RealtimeThread?
    /// The SCHED_FIFO priority it runs at; `nil` is ordinary scheduling.
    let priority: Int?

    init(_ thread: consuming RealtimeThread) {
        if case .realtime(let priority) = thread.granted { self.priority = priority } else { priority = nil }
        self.thread = consume thread
    }

    /// Joins the thread once `finished` is readable, or lets go of it after `milliseconds`.
    func end(after finished: EventSignal, milliseconds: Double) {
        guard let thread = thread.take() else { return }
        if ALSAEngine.wait(finished, milliseconds: milliseconds) { thread.join() }
    }
}
