import Realtime

/// How late the machine makes a thread that serves many, beside what its own work makes it.
package struct LoopWork {
    private var began = HostTime.zero
    private var seconds = 0.0
    /// When the last round would have ended if the thread had had its core all the time.
    private var ended = HostTime.zero

    package init() {}

    /// A round begins.
    /// - Parameters:
    ///   - now: the time it is.
    ///   - seconds: processor time of the thread.
    package mutating func begin(at now: HostTime, processorSeconds seconds: Double) { (began, self.seconds) = (now, seconds) }

    /// A round ends.
    /// - Parameter seconds: processor time of the thread.
    package mutating func end(processorSeconds seconds: Double) {
        ended = began.advanced(byMilliseconds: (seconds - self.seconds) * 1000)
    }

    /// Milliseconds by which the machine is late with what was due.
    /// - Parameters:
    ///   - due: when it was.
    ///   - now: when the round began that does it.
    package func lateness(of due: HostTime, at now: HostTime) -> Double { max(0, now.milliseconds(since: max(due, ended))) }
}
