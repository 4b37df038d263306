import Media
import Realtime

/// What of a call's events is told: those that the other side can cause as often as it likes are limited, each kind for itself,
/// and what was left out is told as a number. Everything else passes.
public struct CallEventGate: Sendable {
    private var limits = CallEvent.Limited.allCases.map(\.limit)

    public init() {}

    /// Whether `event`, which happened at `now`, is told.
    public mutating func admit(_ event: LiveCallEvent, at now: HostTime) -> Bool {
        guard case .call(let event) = event, let kind = event.limited else { return true }
        return limits[kind.rawValue].admit(at: now)
    }

    /// One warning for each kind of which events were left out, at most one a second and kind.
    public mutating func takeNotices(at now: HostTime) -> [LiveCallEvent] {
        CallEvent.Limited.allCases.compactMap { kind in
            let count = limits[kind.rawValue].takeLeftOut(at: now)
            return count > 0 ? .warning("\(count) \(kind.name) are not told one by one: they come too fast") : nil
        }
    }
}
