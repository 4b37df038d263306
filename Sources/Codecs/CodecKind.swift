/// The codecs a call can use, under the names of the command line.
public enum CodecKind: String, Sendable, CaseIterable {
    /// Opus (RFC 6716), mono at 48 kHz.
    case opus
    /// G.711 mu-law (RFC 3551 section 4.5.14).
    case pcmu
    /// G.711 A-law (RFC 3551 section 4.5.14).
    case pcma
    /// 16-bit linear PCM in network byte order (RFC 3551 section 4.5.11), mono.
    case l16

    /// Samples per second at which the codec works unless told otherwise; only L16 takes other rates.
    public var sampleRate: Int {
        switch self {
        case .opus: 48_000
        case .pcmu, .pcma: 8_000
        case .l16: 16_000
        }
    }

    /// Whether encoder and decoder can work at `sampleRate` samples per second.
    public func runs(at sampleRate: Int) -> Bool {
        switch self {
        case .opus: OpusDecoder.sampleRates.contains(sampleRate)
        case .pcmu, .pcma: sampleRate == self.sampleRate
        // Multiples of 100 Hz keep every 10 ms frame a whole number of samples.
        case .l16: (8_000...48_000).contains(sampleRate) && sampleRate % 100 == 0
        }
    }

    /// RTP time stamp units per second when the codec runs at `sampleRate`: always 48 000 for Opus (RFC 7587 section
    /// 4.1), 8 000 for G.711, the sampling rate itself for L16.
    public func rtpClockRate(sampleRate: Int? = nil) -> Int {
        self == .l16 ? sampleRate ?? self.sampleRate : self.sampleRate
    }

    /// The encoding name of the media type, as `a=rtpmap` spells it.
    public var encodingName: String {
        switch self {
        case .opus: "opus"
        case .pcmu: "PCMU"
        case .pcma: "PCMA"
        case .l16: "L16"
        }
    }

    /// The RTP payload type that raw RTP uses unless the URI names another: the static types of RFC 3551 section 6 for
    /// G.711, yodel's own choice from the dynamic range for Opus and L16.
    public var defaultPayloadType: UInt8 {
        switch self {
        case .pcmu: 0
        case .pcma: 8
        case .opus: 111
        case .l16: 112
        }
    }

    /// Whether `defaultPayloadType` is bound to the codec by RFC 3551, or is only a convention between both sides.
    public var hasStaticPayloadType: Bool { self == .pcmu || self == .pcma }

    /// Packet lengths in milliseconds that the encoder sends.
    public var sendableFrameMilliseconds: [Int] {
        self == .opus ? [10, 20, 40, 60] : [10, 20, 30, 40, 50, 60]
    }
}
