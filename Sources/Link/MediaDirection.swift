/// Which way media go, as `a=sendrecv` and its kin say it (RFC 8866 section 6.7, RFC 3264 section 5.1): seen from the side that
/// says it.
public enum MediaDirection: String, Sendable, CaseIterable {
    case sendReceive = "sendrecv"
    case sendOnly = "sendonly"
    case receiveOnly = "recvonly"
    case inactive

    /// The direction of a side that does the one, the other, both or nothing.
    public init(sends: Bool, receives: Bool) {
        self = sends ? (receives ? .sendReceive : .sendOnly) : (receives ? .receiveOnly : .inactive)
    }

    /// Whether that side sends media.
    public var sends: Bool { self == .sendReceive || self == .sendOnly }
    /// Whether that side takes media.
    public var receives: Bool { self == .sendReceive || self == .receiveOnly }

    /// The same as the other side sees it.
    public var reversed: MediaDirection { MediaDirection(sends: receives, receives: sends) }

    /// What both allow, each seen from this side.
    public func limited(to other: MediaDirection) -> MediaDirection {
        MediaDirection(sends: sends && other.sends, receives: receives && other.receives)
    }

    /// What is left of this wish where the other side has `other`: it is sent what it receives, and heard where it sends.
    public func agreed(with other: MediaDirection) -> MediaDirection { limited(to: other.reversed) }
}
