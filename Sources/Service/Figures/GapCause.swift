import Reporting

/// Why nothing of the other side was to be heard for longer than a concealment hides.
package enum GapCause: String, Sendable, CaseIterable {
    case hold
    case transfer
    /// The media were agreed on anew.
    case reinvite
    /// Another pair of addresses carries the media.
    case iceRestart = "ice_restart"
    /// The other side, or who stands for it, sends from elsewhere.
    case failover
    /// None of the others: the packets did not come in time.
    case network
    /// Ours stood still, or its device did.
    case machine
    /// The other side's stood still, as it told.
    case sender

    /// How long after an event a gap is the event's, in milliseconds: figures come once a second, and tell of the second before.
    static let reachMilliseconds: Int64 = 2500

    /// What an event of a call in progress may interrupt the sound by; `nil`: it does not.
    /// - Parameter hadPath: whether media had found their way before.
    init?(_ body: EventBody, hadPath: Bool) {
        switch body {
        case .callHeld, .callResumed: self = .hold
        case .transferRequested, .transferProgress, .callTransferred, .callsJoined: self = .transfer
        case .negotiated, .codecChanged: self = .reinvite
        case .ice: if hadPath { self = .iceRestart } else { return nil }
        case .remoteChanged, .ssrcChanged: self = .failover
        case .deviceLost, .deviceBack, .routeChanged: self = .machine
        default: return nil
        }
    }
}

/// The last event that may have interrupted a call's sound.
struct LastInterruption: Sendable {
    private var last: (cause: GapCause, milliseconds: Int64)?
    private var hasPath = false

    /// Takes note of what happened to a call.
    /// - Parameter isAnswered: whether the call was, before this.
    mutating func note(_ body: EventBody, at milliseconds: Int64, isAnswered: Bool) {
        if let cause = GapCause(body, hadPath: hasPath), isAnswered { last = (cause, milliseconds) }
        if case .ice = body { hasPath = true }
    }

    /// Why there is a gap now, as far as an event explains it.
    func cause(at milliseconds: Int64) -> GapCause? {
        last.flatMap { milliseconds - $0.milliseconds <= GapCause.reachMilliseconds ? $0.cause : nil }
    }
}
