/// What this side can do in an audio call, and what it prefers.
public struct AudioCapabilities: Hashable, Sendable {
    /// Whose order of codecs an answer of ours follows.
    public enum Preference: Hashable, Sendable {
        /// RFC 3264 section 6.1 recommends it.
        case offerer
        case own
    }

    /// The most wanted first.
    public var codecs: [AudioCodec]
    public var preference: Preference
    /// Whether an answer names one codec or all that both can: with one, nobody changes codec without a new offer.
    public var answersWithOneCodec: Bool
    /// Events received, as `a=fmtp` writes them; nil: telephone-event is not used.
    public var telephoneEvents: String?
    /// Whether comfort noise (RFC 3389) is received.
    public var comfortNoise: Bool
    /// Length of packets wanted, in milliseconds.
    public var packetTime: Double
    /// Longest packet accepted, in milliseconds; nil: not told.
    public var maximumPacketTime: Double?
    /// Whether RTP and RTCP may share a port (RFC 5761).
    public var rtcpMux: Bool
    /// How the media may be encrypted.
    public var security: MediaSecurity
    /// Bandwidth lines of the audio line, RFC 8866, 3890 and 3556.
    public var bandwidths: [Bandwidth]

    public init(
        codecs: [AudioCodec], preference: Preference = .offerer, answersWithOneCodec: Bool = true,
        telephoneEvents: String? = "0-16", comfortNoise: Bool = true, packetTime: Double = 20,
        maximumPacketTime: Double? = nil, rtcpMux: Bool = true, security: MediaSecurity = MediaSecurity(),
        bandwidths: [Bandwidth] = []
    ) {
        self.codecs = codecs
        self.preference = preference
        self.answersWithOneCodec = answersWithOneCodec
        self.telephoneEvents = telephoneEvents
        self.comfortNoise = comfortNoise
        self.packetTime = packetTime
        self.maximumPacketTime = maximumPacketTime
        self.rtcpMux = rtcpMux
        self.security = security
        self.bandwidths = bandwidths
    }

    func codec(for format: AudioFormat) -> AudioCodec? { codecs.first { $0.format == format } }

    /// Payload types that stand for something here, which a free choice must leave alone.
    var reservedPayloadTypes: Set<UInt8> { Set(codecs.compactMap(\.payloadType)).union([101, 102]) }
}
