/// Why a link did not hand a datagram on. The raw values are the names in statistics.
public enum LinkDropReason: String, Sendable, Hashable, CaseIterable {
    /// From an address that is neither the peer nor allowed, or of a stream that has not proven itself.
    case stranger
    /// Longer than any media packet.
    case oversized
    /// Neither RTP nor RTCP by its first bytes (RFC 7983), or malformed before there was a peer.
    case garbage
    /// Dropped by the kernel: from an address that is not the peer's, or because the socket's queue was full.
    case kernel

    fileprivate var index: Int {
        switch self {
        case .stranger: 0
        case .oversized: 1
        case .garbage: 2
        case .kernel: 3
        }
    }
}

/// Counters of a link.
public struct LinkStatistics: Sendable {
    /// Datagrams handed on.
    public var received = 0
    /// Their octets, without lower headers.
    public var receivedOctets = 0
    public var sent = 0
    public var sentOctets = 0
    /// Datagrams the kernel refused to send (no route, full queue).
    public var sendFailures = 0
    /// Error number of the last send failure.
    public var lastSendError: Int32?
    /// Packets not sent because the peer's address is not known yet.
    public var sentToNobody = 0
    /// ICMP errors, such as "port unreachable" from a peer that has not started or has gone. Never fatal.
    public var icmpErrors = 0
    /// Of the layer that encrypts; nil: there is none.
    public var encryption: LinkEncryption?
    /// Of the layer that looks for a way to the peer; nil: there is none, or no way yet.
    public var path: LinkPath?
    /// How long the handshake took that agreed on the keys; nil: there was none, or not yet.
    public var handshakeMilliseconds: Double?
    private var drops = InlineArray<4, Int>(repeating: 0)

    public init() {}

    /// Datagrams dropped for `reason`.
    public subscript(reason: LinkDropReason) -> Int {
        get { drops[reason.index] }
        set { drops[reason.index] = newValue }
    }

    /// Counts what a layer above did not hand on: as dropped, and no longer as received.
    ///
    /// - Parameter layer: that layer's own counts, of which its drops are taken.
    public mutating func deduct(dropsOf layer: LinkStatistics) {
        for reason in LinkDropReason.allCases {
            self[reason] += layer[reason]
            received -= layer[reason]
        }
    }
}
