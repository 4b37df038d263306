/// Where the milliseconds between one person's mouth and the other's ear go, stage by stage.
///
/// A stage that does not report is `nil`; a sum with a hole in it would be a guess, so `sum` is set by whoever knows
/// that all stages spoke.
public struct DelayLedgerFigures: Sendable, Equatable {
    /// The capture device and its period, ms.
    public var capture: Double?
    /// Voice processing (framing and filters), ms.
    public var voiceProcessing: Double?
    /// Fixed-ratio rate conversion, both sides, ms.
    public var conversion: Double?
    /// Waiting in the capture ring, ms.
    public var ring: Double?
    /// Waiting for a frame to fill, ms.
    public var framer: Double?
    /// The encoder's look-ahead, ms.
    public var encoder: Double?
    /// Half the round trip that RTCP measured, ms.
    public var network: Double?
    /// Waiting in the jitter buffer, ms.
    public var jitterBuffer: Double?
    /// The decoder and the drift resampler, ms.
    public var decoder: Double?
    /// Waiting in the play-out ring, ms.
    public var playoutRing: Double?
    /// The playback device's buffer, ms.
    public var playback: Double?
    /// All of them, ms.
    public var sum: Double?

    public init() {}
}
