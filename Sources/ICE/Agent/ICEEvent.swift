import Link

/// The pair that carries media.
public struct SelectedPair: Hashable, Sendable {
    /// Ours: host, reflexive as the peer's answer showed it, or relayed.
    public var local: Candidate
    public var remote: Candidate
    /// Whether the controlling side chose it for good; before, it is the best that works.
    public var isNominated: Bool
    /// Of the last check that was answered at once, in milliseconds.
    public var roundTrip: Double?

    /// The dearer of both ends' kinds: what the path costs.
    public var kind: CandidateKind { max(local.kind, remote.kind) }
}

/// Why there is no pair.
public enum ICEFailure: String, Error, Hashable, Sendable {
    /// The peer gave nothing that could be checked.
    case noCandidates
    /// No check was answered.
    case noAnswer
    /// The TURN server that carried media took the allocation back, and nothing else works.
    case relayLost
}

/// What an agent tells.
public enum ICEEvent: Hashable, Sendable {
    /// One of ours was found: to be told to the peer.
    case candidate(Candidate)
    /// Candidates that come later are late ones, of a slow server.
    case gatheringDone
    case serverFailed(ServerID, ServerFailure)
    /// This pair carries media from now on.
    case selected(SelectedPair)
    /// Nobody answered for `consentLimit`: nothing is sent any more (RFC 7675).
    case consentLost
    /// Checks go on being answered, and a restart may help.
    case failed(ICEFailure)
    /// Both sides had the same role, or the other one is lite.
    case roleChanged(ICERole)
}

/// What is to be done, in order.
public enum ICEOutput: Hashable, Sendable {
    /// From the agent's socket.
    case send([UInt8], to: SocketAddress)
    /// Open a connection to a server; what is sent on it leaves once it stands.
    case connect(TURNConnectionID, to: TURNServer)
    /// On a connection.
    case sendOn(TURNConnectionID, [UInt8])
    /// Close it, behind what was sent on it.
    case disconnect(TURNConnectionID)
    case event(ICEEvent)
}

/// Counters of an agent.
public struct ICEStatistics: Hashable, Sendable {
    public var checksSent = 0
    public var checksReceived = 0
    /// Messages whose integrity was wrong or absent where it must be.
    public var forged = 0
    /// Checks of the peer that came again from an unknown address.
    public var replayed = 0
    /// Octets that are no STUN message, or one that makes no sense.
    public var malformed = 0
    /// Requests for a user fragment that is not ours.
    public var unknownUser = 0
    /// Responses to nothing that was asked, or twice.
    public var strayResponses = 0
    /// Responses from another address than the request went to.
    public var asymmetricResponses = 0
    public var roleConflicts = 0
    /// Candidates of the peer that were not taken, by reason.
    public var refusedCandidates: [CandidateRefusal: Int] = [:]

    public init() {}
}

/// Milliseconds since the peer's credentials were known; nil for what has not happened.
public struct ICEMilestones: Hashable, Sendable {
    /// The first pair that carries media.
    public var firstPair: Double?
    /// A pair was nominated.
    public var nominated: Double?
    /// A check of the peer was answered.
    public var firstCheckHeard: Double?

    public init() {}
}
