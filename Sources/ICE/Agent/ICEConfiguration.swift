import Link

/// What an agent is told once. Times are in milliseconds.
public struct ICEConfiguration: Sendable {
    /// Servers that tell our address as they see it.
    public var stunServers: [SocketAddress] = []
    /// Servers that relay. All servers are asked side by side; of relays those by UDP are preferred, then by TCP.
    public var turnServers: [TURNServer] = []
    /// Servers that did not answer lately: asked like the others, and not waited for.
    public var unawaitedServers: Set<ServerID> = []
    /// Uses relayed candidates only: the peer never learns our address.
    public var relayOnly = false
    /// The peer may be on this machine: loopback addresses are candidates too, the last ones.
    public var usesLoopback = false
    /// Ta: between two ordinary checks. RFC 8445 advises 50; 20 is a voice packet's pace. Answers and triggered checks do not wait.
    public var pacing = 20.0
    /// RTO of checks and of requests to servers. RFC 8445 advises 500 for checks; they back off the same way from here.
    public var retransmissionTimeout = 250.0
    /// RTO of a first check of the peer's relay, which drops it while the peer's permission for us is on its way there (RFC 8656 section 9).
    public var relayRetransmissionTimeout = 25.0
    /// After this gathering is called done; what a slow server says later is still used.
    public var gatheringLimit = 1000.0
    /// Without a pair for so long, `failed` is told (RFC 8863 section 4).
    public var connectLimit = 39_500.0
    /// How long a better pair is waited for before one is nominated, at the most.
    public var nominationLimit = 500.0
    /// Mean time between consent checks (RFC 7675 section 5.1); each is 0.8 to 1.2 times as long.
    public var consentInterval = 5000.0
    /// Without an answer for so long, consent is lost.
    public var consentLimit = 30_000.0
    /// Local preference of the first host candidate (RFC 8445 section 5.1.2.1). What is below 65535 is left for those that `ICEAgent.move`
    /// finds, 16 for each time.
    public var hostPreference = UInt16.max
    /// Ports of services of our own: candidates with one of our addresses and such a port are refused.
    public var protectedPorts: Set<UInt16> = []

    /// Kept of the peer; more are counted and dropped.
    public static let maximumRemoteCandidates = 100
    /// RFC 8445 section 6.1.2.5.
    public static let maximumPairs = 100
    /// Of each kind; more are not asked.
    public static let maximumServers = 8
    /// Addresses of this machine.
    public static let maximumHosts = 16
    /// Of ours: what a server that tells another address each time may add to.
    public static let maximumLocalCandidates = 48

    public init() {}
}

/// Who decides which pair is used (RFC 8445 section 6.1.1): who sent the first offer, or the full agent towards a lite one.
public enum ICERole: String, Hashable, Sendable {
    case controlling, controlled

    var other: ICERole { self == .controlling ? .controlled : .controlling }
}

/// Misuse of an agent.
public enum ICEError: Error, Hashable, Sendable {
    /// The peer's credentials changed: it restarts, and so must we (`ICEAgent.restart`) before its new ones are taken.
    case restartNeeded
}
