import Link
import Realtime

/// By what way a datagram leaves or came: our socket, or a TURN server's.
enum ICEPath: Hashable {
    case direct
    /// Index of the TURN client.
    case relay(Int)
}

/// A way between both sides: what RFC 8445 section 6.1.2 calls a candidate pair.
///
/// One socket stands for all host candidates of a family, for the kernel chooses the source address. So there is one pair for a
/// path and a remote address; whether ours is a host or a reflexive candidate is what the answer to a check shows.
struct CandidatePair {
    enum State {
        case waiting, inProgress, succeeded, failed
    }

    let id: Int
    /// Of which restart.
    let generation: Int
    let path: ICEPath
    var remote: Candidate
    /// The base until a check was answered.
    var local: Candidate
    /// By which the pair is ordered; `local.priority` may be that of a candidate learnt later.
    var localPriority: UInt32
    var state = State.waiting
    /// A check of the peer came by it, with its integrity.
    var isHeard = false
    /// The peer nominated it before our own check was answered.
    var awaitsNomination = false
    var lastNomination: TransactionID?
    var lastNominated = HostTime.zero
    /// Nominations in a row while a better pair was nominated.
    var repeatedNominations = 0
    var lastSuccess = HostTime.zero
    /// Lost while it carried media: consent comes back by a restart only (RFC 7675 section 5.1).
    var isConsentLost = false
    var nextConsent: HostTime?
    /// Checks since the last answer.
    var unanswered = 0
    /// Answers that told of a role conflict.
    var conflicts = 0
    var roundTrip: Double?

    /// Two consent checks went unanswered and the third has left: another pair that works is better.
    var isDoubtful: Bool { unanswered >= 3 }
    var isUsable: Bool { state == .succeeded }

    func priority(_ role: ICERole) -> UInt64 {
        role == .controlling
            ? CandidatePriority.ofPair(controlling: localPriority, controlled: remote.priority)
            : CandidatePriority.ofPair(controlling: remote.priority, controlled: localPriority)
    }

    /// The dearer of both ends' kinds.
    var kind: CandidateKind { max(local.kind, remote.kind) }
}

/// A Binding request under way to the peer.
struct ConnectivityCheck {
    enum Purpose {
        case connectivity, nomination, consent
    }

    let id: TransactionID
    let pair: Int
    let path: ICEPath
    let destination: SocketAddress
    let bytes: [UInt8]
    let purpose: Purpose
    /// Ours when it was sent: an answer 487 may be older than a change of role.
    let role: ICERole
    let sent: HostTime
    /// nil: not sent again, but an answer counts until `expiry`.
    var retransmission: Retransmission?
    var expiry: HostTime
}
