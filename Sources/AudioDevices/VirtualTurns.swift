import AudioUnits
import Realtime

/// Moves a virtual device by somebody else's clock, as `VirtualClock` does by a thread.
final class VirtualTurns: DeviceTurns {
    private struct State {
        /// nil: the device does not run.
        var core: VirtualCore?
        /// When the period at hand ends; nil: with the next turn.
        var end: HostTime?
    }

    private let state = Lock(State())

    /// From now on `core` is moved, or nothing: when this returns, nothing of the one before runs.
    func move(_ core: VirtualCore?) { state.withLock { $0 = State(core: core) } }

    func passPeriod(until due: HostTime, now: HostTime, lateBy lateness: Double?) -> Bool {
        state.withLock { state in
            guard let core = state.core else { return false }
            let end = state.end ?? due
            let late = now.milliseconds(since: end)
            let isTooLate = late > VirtualCore.latestMilliseconds
            // A turn that was due long before the first one was due before the start.
            guard end <= due, state.end != nil || !isTooLate else { return false }
            if let lateness { core.beginTurn(lateBy: lateness, now: now) }
            core.step(now: end)
            let period = Double(core.format.periodFrames) * 1000 / core.format.sampleRate
            var periods = 1.0
            if isTooLate {
                core.leaveOut(milliseconds: late)
                // It goes on in its rhythm.
                periods += (late / period).rounded(.down)
            }
            state.end = end.advanced(byMilliseconds: periods * period)
            return true
        }
    }
}
