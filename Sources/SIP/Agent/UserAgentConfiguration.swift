/// What holds for all of a user agent's accounts and calls.
public struct UserAgentConfiguration: Sendable {
    /// User-Agent and Server; nil sends none.
    public var product: String?
    /// What Via and Contact say for each transport, unless a hop says better.
    public var localAddresses: [SignallingProtocol: SignallingAddress]
    /// Numeric hosts are asked for too, because whoever answers knows the local address that leads to each of them.
    public var resolvesNumericHosts: Bool
    /// The user part of Contact for calls without an account.
    public var user: String
    public var timers: TimerSettings
    public var limits: MessageLimits
    /// Octets of a request that still goes as a datagram; what is longer goes by TCP (RFC 3261 section 18.1.1).
    public var longestDatagram: Int
    public var caps: SourceCaps
    /// Media types of bodies that are taken: 415 for others.
    public var acceptedTypes: [String]
    /// Session-Expires that is asked for, in seconds; nil: no session timer is asked for, but one is served (RFC 4028).
    public var sessionExpires: UInt32?
    /// The shortest session interval that is agreed to, in seconds (RFC 4028: at least 90).
    public var minSE: UInt32
    /// How long a call may ring, in seconds, in either direction.
    public var ringingLimit: Double
    /// Provisional responses may be sent reliably (RFC 3262).
    public var supportsReliableProvisional: Bool
    /// Whether calls are taken from there, where that is none of the accounts' servers; 403 otherwise.
    public var admitsCalls: @Sendable (SignallingSource) -> Bool = { _ in true }
    /// Whether texts outside of calls are taken from there, where that is none of the accounts' servers; 403 otherwise.
    public var admitsTexts: @Sendable (SignallingSource) -> Bool = { _ in true }

    public init(
        product: String? = nil, localAddresses: [SignallingProtocol: SignallingAddress],
        resolvesNumericHosts: Bool = false, user: String = "yodel",
        timers: TimerSettings = TimerSettings(), limits: MessageLimits = MessageLimits(), longestDatagram: Int = 1300,
        caps: SourceCaps = SourceCaps(),
        acceptedTypes: [String] = ["application/sdp"], sessionExpires: UInt32? = 1800, minSE: UInt32 = 90,
        ringingLimit: Double = 180, supportsReliableProvisional: Bool = true
    ) {
        self.product = product
        self.localAddresses = localAddresses
        self.resolvesNumericHosts = resolvesNumericHosts
        self.user = user
        self.timers = timers
        self.limits = limits
        self.longestDatagram = longestDatagram
        self.caps = caps
        self.acceptedTypes = acceptedTypes
        self.sessionExpires = sessionExpires
        self.minSE = minSE
        self.ringingLimit = ringingLimit
        self.supportsReliableProvisional = supportsReliableProvisional
    }
}

/// How much state strangers may make us keep. An account's own servers count only towards the totals.
public struct SourceCaps: Hashable, Sendable {
    /// Server transactions of one address, and of one call.
    public var transactionsPerSource: Int
    /// Server transactions of one address that began calls which were answered and acknowledged: they stay for 32 s.
    public var answeredPerSource: Int
    /// Of all strangers; calls and accounts' servers have as many again.
    public var transactions: Int
    /// Calls of one address that ring.
    public var ringingPerSource: Int
    public var ringing: Int
    public var calls: Int

    public init(
        transactionsPerSource: Int = 128, transactions: Int = 4096, ringingPerSource: Int = 4, ringing: Int = 32,
        calls: Int = 1024, answeredPerSource: Int = 1024
    ) {
        self.transactionsPerSource = transactionsPerSource
        self.transactions = transactions
        self.ringingPerSource = ringingPerSource
        self.ringing = ringing
        self.calls = calls
        self.answeredPerSource = answeredPerSource
    }
}
