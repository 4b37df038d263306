/// How the voice processing is laid out; fixed while the unit is initialized.
public struct VoiceProcessingConfiguration: Sendable, Equatable {
    /// What takes the echo out.
    public enum Canceller: String, Sendable, CaseIterable {
        /// SpeexDSP's linear filter and its own residual suppressor, and nothing around them.
        case speexdsp
    }

    /// How much work the canceller may do.
    public enum Quality: String, Sendable, CaseIterable {
        /// 100 ms of echo tail: small rooms, handsets, least CPU.
        case low
        /// 200 ms of echo tail: ordinary rooms.
        case medium
        /// 400 ms of echo tail: reverberant rooms; converges more slowly.
        case high

        /// Echo tail in milliseconds.
        public var tailMilliseconds: Double {
            switch self {
            case .low: 100
            case .medium: 200
            case .high: 400
            }
        }
    }

    /// What takes the echo out.
    public var canceller = Canceller.speexdsp
    /// The tail length and with it the cost.
    public var quality = Quality.medium
    /// Overrides the quality's tail when set: 20 ... 1000 ms.
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
