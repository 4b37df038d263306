import Realtime

/// What an RTCP datagram told.
public enum RTCPEvent: Sendable {
    /// The peer's clock and counters.
    case senderReport(ssrc: UInt32, ntp: NTPTime, info: SenderInfo)
    /// How the peer receives us.
    case remoteReport(RemoteReport)
    case sourceDescription(SourceDescription)
    /// These sources leave. Anyone can name any SSRC: compare with the one that is heard before ending a call.
    case bye(ssrcs: [UInt32], reason: String?)
    case application(ApplicationPacket)
    /// How the peer receives us, in more detail (RFC 3611): blocks on our stream only.
    case extendedReport(reporter: UInt32, block: ExtendedReportBlock)
    /// A round trip without sender reports: the peer answered our receiver reference time (RFC 3611 section 4.5).
    case roundTrip(milliseconds: Double)
    /// The datagram was dropped as a whole.
    case malformed(RTCPParseError)
}

/// The peer's report block on our stream.
public struct RemoteReport: Sendable, Hashable {
    /// Who reports.
    public let reporter: UInt32
    public let block: ReportBlock
    public let arrival: HostTime
    /// Round trip by LSR and DLSR, RFC 3550 section 6.4.1; nil when the block answers no recent report of ours.
    public let roundTripMilliseconds: Double?

    /// Loss since the report before, in per cent.
    public var lossPercent: Double { 100 * Double(block.fractionLost) / 256 }
}

/// Counters of an RTCP session.
public struct RTCPStatistics: Sendable, Hashable {
    /// Compounds sent.
    public internal(set) var sent = 0
    /// Well-formed compounds received.
    public internal(set) var received = 0
    /// Datagrams dropped as malformed.
    public internal(set) var malformed = 0
    /// Packets of types not handled here, skipped.
    public internal(set) var unknown = 0
    /// Packets that bear our own SSRC (loop or collision, RFC 3550 section 8.2), ignored.
    public internal(set) var ownSource = 0
    /// Those of them that were reports: someone sends as us.
    public internal(set) var collisions = 0

    public init() {}
}
