/// What arrived, over all sources of a call. Percentages are absent while nothing was expected.
public struct ReceptionStatistics: Sendable {
    /// The source now heard, nil before the first packet.
    public internal(set) var ssrc: UInt32?
    /// Different packets that arrived in validated streams (duplicates not counted).
    public internal(set) var received = 0
    /// Packets that should have arrived, by their sequence numbers.
    public internal(set) var expected = 0
    /// Packets that arrived after a later one.
    public internal(set) var reordered = 0
    /// Packets that arrived again.
    public internal(set) var duplicates = 0
    /// Payload octets of audio packets.
    public internal(set) var octets = 0
    /// Interarrival jitter of the present source, RFC 3550 appendix A.8, in clock units.
    public internal(set) var jitter = 0.0
    /// The same in milliseconds.
    public internal(set) var jitterMilliseconds = 0.0
    /// Changes of the source after the first one, and restarts of its numbering.
    public internal(set) var sourceChanges = 0
    /// Packets of sources under probation.
    public internal(set) var probation = 0
    /// Datagrams dropped.
    public internal(set) var drops = RTPDropCounts()
    /// Header extensions that could not be read; their packets were taken without them.
    public internal(set) var badExtensions = 0

    public init() {}

    /// Packets expected and not (yet) here.
    public var lost: Int { max(0, expected - received) }

    /// Loss in per cent of the expected packets.
    public var lossPercent: Double? { expected > 0 ? 100 * Double(lost) / Double(expected) : nil }
}
