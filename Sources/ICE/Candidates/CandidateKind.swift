/// How a candidate was come by (RFC 8445 section 5.1.1), cheapest first.
public enum CandidateKind: String, Hashable, Sendable, CaseIterable, Comparable {
    /// An address of this machine.
    case host
    /// What the peer's checks showed.
    case peerReflexive = "prflx"
    /// What a STUN or TURN server saw.
    case serverReflexive = "srflx"
    /// An address of a TURN server.
    case relayed = "relay"

    /// Type preference of RFC 8445 section 5.1.2.2.
    var preference: UInt32 {
        switch self {
        case .host: 126
        case .peerReflexive: 110
        case .serverReflexive: 100
        case .relayed: 0
        }
    }

    /// Which of two is cheaper; the two reflexive kinds cost the same.
    private var cost: Int {
        switch self {
        case .host: 0
        case .peerReflexive, .serverReflexive: 1
        case .relayed: 2
        }
    }

    public static func < (left: CandidateKind, right: CandidateKind) -> Bool { left.cost < right.cost }
}

/// Priorities of candidates and pairs.
enum CandidatePriority {
    /// RFC 8445 section 5.1.2.1, for the only component. `localPreference`: 65535 is the best.
    static func of(_ kind: CandidateKind, localPreference: UInt16) -> UInt32 {
        kind.preference << 24 | UInt32(localPreference) << 8 | 255
    }

    /// RFC 8445 section 6.1.2.3.
    static func ofPair(controlling: UInt32, controlled: UInt32) -> UInt64 {
        let low = UInt64(min(controlling, controlled))
        let high = UInt64(max(controlling, controlled))
        return low << 32 &+ high &* 2 &+ (controlling > controlled ? 1 : 0)
    }
}
