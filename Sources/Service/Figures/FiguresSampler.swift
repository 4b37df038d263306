import Dispatch
import Realtime

/// Asks every answered call for its figures once a second, as long as there is one; not on the thread that owns the calls, for a call
/// whose device is being opened keeps the question waiting.
struct FiguresSampler {
    private static let intervalMilliseconds = 1000.0

    private let queue = DispatchQueue(label: "figures", qos: .utility)
    /// Taken while a question waits: the next ones are left out, or their answers would all come at once.
    private let turn = DispatchSemaphore(value: 1)
    /// When to ask again; `nil`: when there is a call.
    private(set) var due: HostTime?

    /// - Parameter running: calls there are.
    mutating func look(_ calls: CallBook, running: Int, now: HostTime) {
        guard running > 0 else {
            due = nil
            return
        }
        guard let due, now < due.advanced(byMilliseconds: Self.intervalMilliseconds) else {
            // The first call, or the machine stood still.
            due = now.advanced(byMilliseconds: Self.intervalMilliseconds)
            return
        }
        guard now >= due else { return }
        self.due = due.advanced(byMilliseconds: Self.intervalMilliseconds)
        guard turn.wait(timeout: .now()) == .success else { return }
        queue.async { [turn] in
            calls.sample()
            turn.signal()
        }
    }
}
