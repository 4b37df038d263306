/// Why a datagram is not an RTP packet (RFC 3550 section 5.1 and appendix A.1). The caller drops and counts it.
public enum RTPParseError: Error, Hashable, Sendable {
    /// Shorter than the fixed header, the CSRC list or the header extension it announces.
    case truncated
    /// The version is not 2.
    case badVersion
    /// The payload type is one that RTCP uses when it shares the port (72 to 76 in RTP terms).
    case reservedPayloadType
    /// The padding count is 0 or greater than what follows the header.
    case badPadding
}
