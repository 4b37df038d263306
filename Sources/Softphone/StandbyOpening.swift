import AudioDevices
import Realtime
import Threads

/// The device of a call, opened beside it: signalling goes on meanwhile.
///
/// ```
/// init -> take: the device, as soon as it runs      dropped instead: the device is closed, whenever it has opened
/// ```
final class StandbyOpening {
    private let outcome = Outcome()
    private var thread: RealtimeThread?

    private final class Outcome: Sendable {
        private let state = Lock<(device: StandbyDevice?, isWanted: Bool)>((nil, true))

        func settle(_ device: StandbyDevice?) { state.withLock { if $0.isWanted { $0.device = device } } }

        func take() -> StandbyDevice? { state.withLock { $0.device.take() } }

        func drop() -> StandbyDevice? {
            state.withLock { state in
                state.isWanted = false
                return state.device.take()
            }
        }
    }

    /// Begins to open it.
    /// - Returns: nil: it is opened when it is needed.
    init?(_ choice: DeviceChoice) {
        guard choice.canStandBy else { return nil }
        let outcome = self.outcome
        do {
            thread = try RealtimeThread(name: "standby", owning: choice) { outcome.settle($0.makeStandby()) }
        } catch {
            logger.debug("the device does not run before the answer: \(error)")
            return nil
        }
    }

    deinit { _ = outcome.drop() }

    /// Waits until the device runs, or cannot.
    /// - Returns: nil: it does not, or was taken before.
    func take() -> StandbyDevice? {
        if let running = thread.take() { running.join() }
        return outcome.take()
    }
}
