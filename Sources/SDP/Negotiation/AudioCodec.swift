/// A codec that this side can send and receive, as plain values.
public struct AudioCodec: Hashable, Sendable {
    public var format: AudioFormat
    /// The payload type to offer; nil: the static one of RFC 3551, or a free one.
    public var payloadType: UInt8?
    /// The value of `a=fmtp` that says what this side wants to receive; empty: none.
    public var parameters: String
    /// Packet lengths that the encoder can send, in milliseconds, ascending.
    public var packetTimes: [Double]
    /// Bits a second of payload that the encoder sends.
    public var bitRate: Int
    /// What encoder and decoder add to the packet's length, in milliseconds.
    public var lookahead: Double
    /// Copies of earlier packets that this side can send and use (RFC 2198); 0: `audio/red` is not offered.
    public var redundancy: Int

    public init(
        format: AudioFormat, payloadType: UInt8? = nil, parameters: String = "",
        packetTimes: [Double] = [10, 20, 30, 40, 50, 60], bitRate: Int, lookahead: Double = 0, redundancy: Int = 0
    ) {
        self.format = format
        self.payloadType = payloadType
        self.parameters = parameters
        self.packetTimes = packetTimes
        self.bitRate = bitRate
        self.lookahead = lookahead
        self.redundancy = redundancy
    }

    public static let pcmu = AudioCodec(format: .pcmu, bitRate: 64_000)
    public static let pcma = AudioCodec(format: .pcma, bitRate: 64_000)
    /// The filter bank of ITU-T G.722 delays by 22 samples of 16 kHz.
    public static let g722 = AudioCodec(format: .g722, bitRate: 64_000, lookahead: 1.375)

    /// Mono.
    public static func l16(rate: Int, payloadType: UInt8? = nil) -> AudioCodec {
        AudioCodec(format: .l16(rate: rate), payloadType: payloadType, bitRate: rate * 16)
    }

    /// - Parameter lookahead: 6.5 ms in the modes for speech (RFC 6716 section 2), 2.5 ms in the one for low delay.
    public static func opus(
        payloadType: UInt8 = 111, parameters: OpusParameters, bitRate: Int, lookahead: Double = 6.5,
        redundancy: Int = 0
    ) -> AudioCodec {
        AudioCodec(
            format: .opus, payloadType: payloadType, parameters: parameters.text, packetTimes: [10, 20, 40, 60],
            bitRate: bitRate, lookahead: lookahead, redundancy: redundancy)
    }
}
