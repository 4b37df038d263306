/// Why the transport did not hand a datagram on. The raw values are the names in statistics.
public enum TransportDropReason: String, Sendable, Hashable, CaseIterable {
    /// From an address that is neither the peer nor allowed.
    case stranger
    /// Longer than any media packet.
    case oversized
    /// Neither RTP nor RTCP by its first bytes (RFC 7983), or malformed before there was a peer.
    case garbage
}

/// Counters of a media transport.
public struct TransportStatistics: Sendable, Hashable {
    /// Datagrams handed on.
    public internal(set) var received = 0
    /// Their octets, without lower headers.
    public internal(set) var receivedOctets = 0
    public internal(set) var sent = 0
    public internal(set) var sentOctets = 0
    /// Datagrams the kernel refused to send (no route, full queue).
    public internal(set) var sendFailures = 0
    /// Error number of the last send failure.
    public internal(set) var lastSendError: Int32?
    /// Packets not sent because the peer's address is not known yet.
    public internal(set) var sentToNobody = 0
    /// ICMP errors, such as "port unreachable" from a peer that has not started or has gone. Never fatal.
    public internal(set) var icmpErrors = 0
    public internal(set) var strangers = 0
    public internal(set) var oversized = 0
    public internal(set) var garbage = 0

    public init() {}

    /// Datagrams dropped for `reason`.
    public subscript(reason: TransportDropReason) -> Int {
        switch reason {
        case .stranger: strangers
        case .oversized: oversized
        case .garbage: garbage
        }
    }

    mutating func drop(_ reason: TransportDropReason) {
        switch reason {
        case .stranger: strangers += 1
        case .oversized: oversized += 1
        case .garbage: garbage += 1
        }
    }
}
