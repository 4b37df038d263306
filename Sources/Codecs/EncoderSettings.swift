/// What an encoder is built with. All codecs read `frameMilliseconds`; the rest is Opus, and
/// `dtx` concerns every codec's call.
public struct EncoderSettings: Sendable, Equatable {
    /// Opus's coding mode.
    public enum Application: String, Sendable, CaseIterable {
        /// Speech modes allowed, in-band FEC possible, 6.5 ms look-ahead.
        case voip
        /// Transform mode only: 2.5 ms look-ahead, no in-band FEC, more bits for the same speech quality.
        case lowDelay
        /// Transform mode while no loss is expected, speech modes with in-band FEC else; 6.5 ms look-ahead. For sound that was coded
        /// before: a second coding in a speech mode costs it far more.
        case audio
    }

    /// Bits per second, 6 000 ... 510 000. Full-band speech wants 28 000 ... 40 000 (RFC 7587 section 3.1.1);
    /// redundancy takes its share from it.
    public var bitrate: Int
    /// Encoder effort, 0 (cheapest) ... 10 (best). For speech 8, 9 and 10 cost the same, about four times as much as 0.
    public var complexity: Int
    /// Whether packets may carry a coarse copy of their predecessor (LBRR). The encoder adds it only while it expects
    /// loss, so that it costs nothing on a clean path.
    public var inbandFEC: Bool
    /// Share of packets that the encoder should expect to be lost, in percent, 0 ... 100. Anything above 0 asks
    /// for redundancy; where the bit rate does not pay for it, libopus is told at least 6, since below that it prefers
    /// audio bandwidth.
    public var expectedLossPercent: Int
    /// Length of a packet in milliseconds: one of `Codec.sendableFrameMilliseconds`.
    public var frameMilliseconds: Int
    /// Opus's coding mode.
    public var application: Application
    /// Whether nothing but the background's description is sent in pauses: by the codec itself where it can
    /// (`Codec.hasDTX`), as comfort noise (RFC 3389) beside the others. Off: a continuous stream keeps delay and loss
    /// measurable.
    public var dtx: Bool

    public init(
        bitrate: Int = 28_000, complexity: Int = 10, inbandFEC: Bool = true, expectedLossPercent: Int = 0,
        frameMilliseconds: Int = 20, application: Application = .voip, dtx: Bool = false
    ) {
        self.bitrate = bitrate
        self.complexity = complexity
        self.inbandFEC = inbandFEC
        self.expectedLossPercent = expectedLossPercent
        self.frameMilliseconds = frameMilliseconds
        self.application = application
        self.dtx = dtx
    }
}
