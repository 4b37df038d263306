/// How the voice processing is laid out; fixed while the unit is initialized, but for the quality
/// (`VoiceProcessingIO.quality`).
public struct VoiceProcessingConfiguration: Sendable, Equatable {
    /// Who cancels the echo.
    public enum Canceller: String, Sendable, CaseIterable {
        /// Echo control of this project: delay and drift followed by the audio, a Kalman filter beside SpeexDSP's, residual
        /// suppression per band. At 8, 12, 16, 24, 32 and 48 kHz.
        case yodel
        /// SpeexDSP's canceller and suppressor alone, the reference placed by time stamps; to compare with. At any rate.
        case speexdsp
    }

    /// How much work the canceller may do.
    public enum Quality: String, Sendable, CaseIterable {
        /// The Kalman filter alone: least CPU. SpeexDSP alone: a tail of 100 ms.
        case low
        /// Kalman filter, and SpeexDSP's with a tail of 40 ms. SpeexDSP alone: 200 ms.
        case medium
        /// Kalman filter, and SpeexDSP's with a tail of 60 ms. SpeexDSP alone: 400 ms.
        case high

        /// Echo tail of SpeexDSP alone, in milliseconds.
        public var tailMilliseconds: Double {
            switch self {
            case .low: 100
            case .medium: 200
            case .high: 400
            }
        }

        var effort: EchoControlEffort {
            switch self {
            case .low: .low
            case .medium: .medium
            case .high: .high
            }
        }
    }

    /// Who cancels the echo.
    public var canceller = Canceller.yodel
    /// How well, and at what cost.
    public var quality = Quality.high
    /// Overrides the tail of SpeexDSP alone when set: 20 ... 1000 ms.
    public var tailMilliseconds: Double?
    /// Strongest attenuation of noise, in dB, -40 ... 0.
    public var noiseSuppressionDecibels = -15.0
    /// Strongest attenuation of residual echo while the far end speaks alone, in dB, -60 ... 0.
    public var residualSuppressionDecibels = -45.0
    /// The same while both speak, in dB, -60 ... 0.
    public var doubleTalkSuppressionDecibels = -20.0
    /// Level the gain control brings near-end speech to, in dBFS, -40 ... -6.
    public var gainTargetDecibels = -20.0
    /// Most gain the gain control adds, in dB, 0 ... 30.
    public var maximumGainDecibels = 27.0
    /// Time in which the gain comes up by 10 dB while somebody speaks, in milliseconds, 100 ... 10,000; four times as fast in
    /// the first second of speech.
    public var gainReleaseMilliseconds = 800.0

    public init() {}

    /// The tail in force, in milliseconds.
    public var effectiveTailMilliseconds: Double { tailMilliseconds ?? quality.tailMilliseconds }

    func validate() throws(AudioUnitError) {
        try Self.check(effectiveTailMilliseconds, 20...1000, "tailMilliseconds")
        try Self.check(noiseSuppressionDecibels, -40...0, "noiseSuppressionDecibels")
        try Self.check(residualSuppressionDecibels, -60...0, "residualSuppressionDecibels")
        try Self.check(doubleTalkSuppressionDecibels, -60...0, "doubleTalkSuppressionDecibels")
        try Self.check(gainTargetDecibels, -40 ... -6, "gainTargetDecibels")
        try Self.check(maximumGainDecibels, 0...30, "maximumGainDecibels")
        try Self.check(gainReleaseMilliseconds, 100...10_000, "gainReleaseMilliseconds")
    }

    private static func check(
        _ value: Double, _ range: ClosedRange<Double>, _ name: String
    ) throws(AudioUnitError) {
        guard range.contains(value) else {
            throw .outOfRange(setting: name, allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
    }
}
