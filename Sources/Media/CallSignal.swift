import Link

/// What signalling tells a call. A call that begins with its first media has no ringing, early media or answer, and ignores them.
public enum CallSignal: Sendable, Equatable {
    /// The other side's phone rings, or ours does.
    case ringing
    /// Media flows before the answer (RFC 3960): the other side's announcements and tones.
    case earlyMedia
    /// The call was answered: it has begun.
    case answered
    /// Which way the other side's media go from now on, seen from there (RFC 3264 section 8.4): `sendOnly` and `inactive` are
    /// its hold.
    case direction(MediaDirection)
    /// The call is over, for that reason.
    case ended(EndReason)
}
