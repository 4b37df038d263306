import Media
import Realtime

/// What of a call's events is told: those that the other side can cause as often as it likes are limited, each kind for itself,
/// and what was left out is told as a number. Everything else passes.
public struct CallEventGate: Sendable {
    /// The kinds that are limited.
    private enum Kind: Int, CaseIterable {
        case sources, resets, digits

        /// What was left out, for a person.
        var name: String {
            switch self {
            case .sources: "changes of the other side's source"
            case .resets: "new beginnings of the jitter buffer"
            case .digits: "digits"
            }
        }
    }

    /// Sources and resets: as much as a bad network may cause. Digits: faster than any dialler sends them, whose tones and
    /// pauses last 40 ms each and more (ITU-T Q.24).
    private var limits: [EventLimit] = [
        EventLimit(burst: 8, perSecond: 2), EventLimit(burst: 8, perSecond: 2), EventLimit(burst: 32, perSecond: 25),
    ]

    public init() {}

    /// Whether `event`, which happened at `now`, is told.
    public mutating func admit(_ event: LiveCallEvent, at now: HostTime) -> Bool {
        guard let kind = Self.kind(of: event) else { return true }
        return limits[kind.rawValue].admit(at: now)
    }

    /// One warning for each kind of which events were left out, at most one a second and kind.
    public mutating func takeNotices(at now: HostTime) -> [LiveCallEvent] {
        Kind.allCases.compactMap { kind in
            let count = limits[kind.rawValue].takeLeftOut(at: now)
            return count > 0 ? .warning("\(count) \(kind.name) are not told one by one: they come too fast") : nil
        }
    }

    private static func kind(of event: LiveCallEvent) -> Kind? {
        guard case .call(let event) = event else { return nil }
        return switch event {
        case .sourceChanged, .remoteMoved, .remoteLost: .sources
        case .bufferReset: .resets
        case .digitReceived: .digits
        case .mediaStarted, .formatFollowed, .formatRefused, .secured, .notSecured, .ended: nil
        }
    }
}
