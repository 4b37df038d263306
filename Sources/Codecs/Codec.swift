/// What yodel knows of a codec; each codec's value stands in the codec's own file, and `Codec.allCases` lists them.
public struct Codec: Sendable {
    /// RTP time stamp units per second.
    public enum Clock: Sendable, Equatable {
        /// The same at every sampling rate. It need not be the sampling rate: G.722 has 8000 (RFC 3551 section 4.5.2).
        case fixed(Int)
        /// The sampling rate itself.
        case sampleRate
    }

    /// Sampling rates in Hz that encoder and decoder can work at.
    public enum SampleRates: Sendable, Equatable {
        case list([Int])
        case range(ClosedRange<Int>, step: Int)
    }

    /// RTP payload type, 0...127.
    public enum PayloadType: Sendable, Equatable {
        /// Bound to the codec by RFC 3551 section 6.
        case `static`(UInt8)
        /// Ours from the dynamic range, where nothing was negotiated: a convention between both sides.
        case dynamic(UInt8)
    }

    /// Bits per second.
    public enum Bitrate: Sendable, Equatable {
        /// Chosen by `EncoderSettings.bitrate`, also in mid-call.
        case adjustable
        /// So many bits a sample.
        case bitsPerSample(Int)
    }

    /// The codec's constants in the E-model (ITU-T G.107).
    public struct Impairment: Sendable, Hashable {
        /// Ie: equipment impairment without loss.
        public let equipment: Double
        /// Bpl: robustness against loss, the loss in per cent that halves what is left of the quality.
        public let lossRobustness: Double
    }

    /// Name on the command line, in configurations, captures and reports; lower case.
    public let name: String
    /// The encoding name of the media type, as `a=rtpmap` spells it.
    public let encodingName: String
    /// Channels that `a=rtpmap` names. The encoder sends one; the decoder takes one or two where this is 2.
    public let channels: Int
    public let clock: Clock
    /// Samples per second at which the codec works unless told otherwise.
    public let sampleRate: Int
    public let sampleRates: SampleRates
    public let payloadType: PayloadType
    /// Packet lengths in milliseconds that the encoder sends.
    public let sendableFrameMilliseconds: [Int]
    /// Packet length in milliseconds where nobody chooses.
    public let defaultFrameMilliseconds: Int
    public let bitrate: Bitrate
    /// What encoder and decoder add to a packet's length, in milliseconds, at the codec's own rate with the usual settings.
    public let lookaheadMilliseconds: Double
    /// Whether its packets may carry a coarse copy of the packet before.
    public let hasInbandFEC: Bool
    /// Whether the encoder falls silent in pauses by itself; others do so with comfort noise (RFC 3389).
    public let hasDTX: Bool
    /// Nil where nobody has published any: then a call has no rating.
    public let impairment: Impairment?

    typealias EncoderMaker = @Sendable (EncoderSettings, _ sampleRate: Int) throws(CodecError) -> any AudioEncoder
    typealias DecoderMaker = @Sendable (_ sampleRate: Int) throws(CodecError) -> any AudioDecoder
    /// Both are handed values that have been checked against the rest of the description.
    let encoder: EncoderMaker
    let decoder: DecoderMaker

    init(
        name: String, encodingName: String, channels: Int = 1, clock: Clock, sampleRate: Int,
        sampleRates: SampleRates? = nil, payloadType: PayloadType,
        sendableFrameMilliseconds: [Int] = [10, 20, 30, 40, 50, 60], defaultFrameMilliseconds: Int = 20,
        bitrate: Bitrate, lookaheadMilliseconds: Double = 0, hasInbandFEC: Bool = false, hasDTX: Bool = false,
        impairment: Impairment?, encoder: @escaping EncoderMaker, decoder: @escaping DecoderMaker
    ) {
        self.name = name
        self.encodingName = encodingName
        self.channels = channels
        self.clock = clock
        self.sampleRate = sampleRate
        self.sampleRates = sampleRates ?? .list([sampleRate])
        self.payloadType = payloadType
        self.sendableFrameMilliseconds = sendableFrameMilliseconds
        self.defaultFrameMilliseconds = defaultFrameMilliseconds
        self.bitrate = bitrate
        self.lookaheadMilliseconds = lookaheadMilliseconds
        self.hasInbandFEC = hasInbandFEC
        self.hasDTX = hasDTX
        self.impairment = impairment
        self.encoder = encoder
        self.decoder = decoder
    }

    /// Whether encoder and decoder can work at `sampleRate` samples per second.
    public func runs(at sampleRate: Int) -> Bool { sampleRates.contains(sampleRate) }

    /// RTP time stamp units per second when the codec runs at `sampleRate`; nil is the codec's own rate.
    public func rtpClockRate(sampleRate: Int? = nil) -> Int {
        switch clock {
        case .fixed(let rate): rate
        case .sampleRate: sampleRate ?? self.sampleRate
        }
    }

    /// Bits per second when the codec runs at `sampleRate` (nil: its own rate); nil where the rate can be chosen.
    public func fixedBitrate(sampleRate: Int? = nil) -> Int? {
        switch bitrate {
        case .adjustable: nil
        case .bitsPerSample(let bits): bits * (sampleRate ?? self.sampleRate)
        }
    }
}

extension Codec.SampleRates: CustomStringConvertible {
    public func contains(_ rate: Int) -> Bool {
        switch self {
        case .list(let rates): rates.contains(rate)
        case .range(let range, let step): range.contains(rate) && rate % step == 0
        }
    }

    /// As a message offers them.
    public var description: String {
        switch self {
        case .list(let rates): rates.map(String.init).joined(separator: ", ")
        case .range(let range, let step): "\(range.lowerBound) to \(range.upperBound) in steps of \(step)"
        }
    }
}

/// Codecs are told apart by their names.
extension Codec: Hashable {
    public static func == (a: Codec, b: Codec) -> Bool { a.name == b.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
