/// What shares a media port, told apart by the first bytes.
public enum DatagramKind: Sendable, Hashable {
    case rtp
    case rtcp
    case stun
    case dtls
    /// TURN channel data (RFC 8656 section 12.4).
    case turnChannel
    /// ZRTP or noise.
    case other

    /// RFC 7983 section 7 for the first byte, RFC 5761 section 4 for the second: RTCP types 192 to 223 lie where RTP
    /// with its marker bit would have payload types 64 to 95, which such sessions do not use.
    public init(_ datagram: UnsafeRawBufferPointer) {
        guard datagram.count >= 2 else {
            self = .other
            return
        }
        self =
            switch datagram[0] {
            case 0...3: .stun
            case 20...63: .dtls
            case 64...79: .turnChannel
            case 128...191: (192...223).contains(datagram[1]) ? .rtcp : .rtp
            default: .other
            }
    }
}
