import Codecs
import SDP

/// What every call of this side may use; who offers what is settled between the two sides from it.
public struct MediaCapabilities: Sendable, Hashable {
    /// The most wanted first.
    public var codecs: [Codec]
    /// Of codecs that have a choice, in Hz; nil: the codec's own.
    public var sampleRate: Int?
    /// Packet length that this side wants to receive, in milliseconds.
    public var packetMilliseconds: Int
    /// Bits a second of payload for codecs with a choice.
    public var bitrate: Int
    /// Our order of codecs counts in our answers, not the caller's.
    public var prefersOwnOrder: Bool
    public var telephoneEvents: Bool
    public var comfortNoise: Bool
    /// Copies of earlier packets (RFC 2198); 0: not offered.
    public var redundantCopies: Int
    /// RTP and RTCP may share a port.
    public var sharesPort: Bool

    public init(
        codecs: [Codec] = Codec.usual, sampleRate: Int? = nil, packetMilliseconds: Int = 20,
        bitrate: Int = 28_000, prefersOwnOrder: Bool = false, telephoneEvents: Bool = true, comfortNoise: Bool = true,
        redundantCopies: Int = 0, sharesPort: Bool = true
    ) {
        self.codecs = codecs
        self.sampleRate = sampleRate
        self.packetMilliseconds = packetMilliseconds
        self.bitrate = bitrate
        self.prefersOwnOrder = prefersOwnOrder
        self.telephoneEvents = telephoneEvents
        self.comfortNoise = comfortNoise
        self.redundantCopies = redundantCopies
        self.sharesPort = sharesPort
    }

    /// The same for offer and answer.
    package var described: AudioCapabilities {
        AudioCapabilities(
            codecs: codecs.map(described), preference: prefersOwnOrder ? .own : .offerer,
            telephoneEvents: telephoneEvents ? "0-15" : nil, comfortNoise: comfortNoise,
            packetTime: Double(packetMilliseconds), rtcpMux: sharesPort)
    }

    private func described(_ codec: Codec) -> AudioCodec {
        let rate = sampleRate.flatMap { codec.runs(at: $0) ? $0 : nil }
        var parameters = ""
        if codec == .opus {
            // Mono, and copies of packets that were lost are put to use.
            var opus = OpusParameters()
            opus.inbandFEC = true
            parameters = opus.text
        }
        return AudioCodec(
            format: AudioFormat(
                encodingName: codec.encodingName, clockRate: codec.rtpClockRate(sampleRate: rate),
                channels: codec.channels),
            payloadType: codec.hasStaticPayloadType ? nil : codec.defaultPayloadType, parameters: parameters,
            packetTimes: codec.sendableFrameMilliseconds.map(Double.init),
            bitRate: codec.fixedBitrate(sampleRate: rate) ?? bitrate,
            lookahead: codec.lookaheadMilliseconds,
            redundancy: redundantCopies)
    }
}
