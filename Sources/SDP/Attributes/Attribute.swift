import Link

/// An `a=` line. What yodel uses is read into a value; everything else, and what is malformed, is kept as text.
public enum Attribute: Hashable, Sendable {
    case rtpmap(RTPMap)
    case formatParameters(FormatParameters)
    /// `ptime`: the length of packets that the writer wants to receive, in milliseconds (RFC 8866 section 6.4).
    case packetTime(Double)
    /// `maxptime`, in milliseconds (RFC 8866 section 6.5).
    case maximumPacketTime(Double)
    case direction(MediaDirection)
    case rtcp(RTCPAttribute)
    /// `rtcp-mux`, RFC 5761.
    case rtcpMux
    case source(SourceAttribute)
    case group(GroupAttribute)
    /// `mid`, RFC 5888.
    case mediaID(String)
    case iceUsername(String)
    case icePassword(MediaSecret)
    case iceOptions([String])
    case iceLite
    case candidate(ICECandidate)
    case endOfCandidates
    case fingerprint(Fingerprint)
    case setup(SetupRole)
    case crypto(CryptoAttribute)
    /// An attribute that yodel does not know, or one whose value is not what its name promises.
    case other(name: String, value: String?)

    /// The name before the colon.
    public var name: String {
        switch self {
        case .rtpmap: "rtpmap"
        case .formatParameters: "fmtp"
        case .packetTime: "ptime"
        case .maximumPacketTime: "maxptime"
        case .direction(let direction): direction.rawValue
        case .rtcp: "rtcp"
        case .rtcpMux: "rtcp-mux"
        case .source: "ssrc"
        case .group: "group"
        case .mediaID: "mid"
        case .iceUsername: "ice-ufrag"
        case .icePassword: "ice-pwd"
        case .iceOptions: "ice-options"
        case .iceLite: "ice-lite"
        case .candidate: "candidate"
        case .endOfCandidates: "end-of-candidates"
        case .fingerprint: "fingerprint"
        case .setup: "setup"
        case .crypto: "crypto"
        case .other(let name, _): name
        }
    }
}

/// Who opens the connection of DTLS (RFC 4145 section 4, RFC 8842).
public enum SetupRole: String, Hashable, Sendable, CaseIterable {
    case active, passive, actpass, holdconn
}
