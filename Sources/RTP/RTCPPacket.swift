/// One packet of an RTCP compound, RFC 3550 section 6.
public enum RTCPPacket: Hashable, Sendable {
    case senderReport(ssrc: UInt32, ntp: NTPTime, info: SenderInfo, reports: [ReportBlock])
    case receiverReport(ssrc: UInt32, reports: [ReportBlock])
    /// Of the SDES items only CNAME is kept: the others are for display by people (section 6.5).
    case sourceDescription([SourceDescription])
    case bye(ssrcs: [UInt32], reason: String?)
    case application(ApplicationPacket)
    /// RFC 3611; blocks of types that are not handled here are left out.
    case extendedReport(ssrc: UInt32, blocks: [ExtendedReportBlock])
    /// A well-formed packet of a type that is not handled here (feedback), to be skipped.
    case unknown(type: UInt8)
}

/// RTCP packet types, RFC 3550 section 12.1 and RFC 3611 section 6.1.
enum RTCPType {
    static let senderReport: UInt8 = 200
    static let receiverReport: UInt8 = 201
    static let sourceDescription: UInt8 = 202
    static let bye: UInt8 = 203
    static let application: UInt8 = 204
    static let extendedReport: UInt8 = 207
}

/// A source and its canonical name, RFC 3550 section 6.5.1.
public struct SourceDescription: Hashable, Sendable {
    public var ssrc: UInt32
    /// Canonical name, at most 255 bytes of UTF-8; nil when the chunk has none.
    public var cname: String?

    public init(ssrc: UInt32, cname: String?) {
        self.ssrc = ssrc
        self.cname = cname
    }
}

/// An APP packet, RFC 3550 section 6.7.
public struct ApplicationPacket: Hashable, Sendable {
    public var ssrc: UInt32
    /// 0 to 31.
    public var subtype: UInt8
    /// Four ASCII characters.
    public var name: String
    /// Whole 32-bit words; padded with zeros when built.
    public var data: [UInt8]

    public init(ssrc: UInt32, subtype: UInt8, name: String, data: [UInt8]) {
        self.ssrc = ssrc
        self.subtype = subtype & 0x1f
        self.name = name
        self.data = data
    }
}

/// Why a datagram is not an RTCP compound (RFC 3550 appendix A.2). The caller drops and counts the whole datagram.
public enum RTCPParseError: Error, Hashable, Sendable {
    /// Shorter than a header, or than a packet's length or count says.
    case truncated
    /// A packet's version is not 2.
    case badVersion
    /// The first packet is neither sender nor receiver report.
    case noLeadingReport
    /// Padding on the first packet, before the last one, or of impossible length.
    case badPadding
    /// Lengths of the packets do not add up to the datagram's, or items do not fit their packet.
    case badLength
}
