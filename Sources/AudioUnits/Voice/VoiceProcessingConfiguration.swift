/// How the voice processing is laid out; fixed while the unit is initialized, but for the quality
/// (`VoiceProcessingIO.quality`).
public struct VoiceProcessingConfiguration: Sendable, Equatable {
    /// Who cancels the echo.
    public enum Canceller: Sendable, Equatable {
        /// Echo control of this project: delay and drift followed by the audio, a Kalman filter beside SpeexDSP's, residual
        /// suppression per band. At 8, 12, 16, 24, 32 and 48 kHz.
        case yodel
        /// SpeexDSP's canceller and suppressor alone, the reference placed by time stamps; to compare with. At any rate.
        case speexdsp(SpeexDSPSettings)

        /// What a canceller is called on a command line and in a configuration.
        public enum Name: String, Sendable, CaseIterable {
            case yodel, speexdsp
        }

        /// The canceller of this name, with the settings that are usual.
        public init(_ name: Name) {
            switch name {
            case .yodel: self = .yodel
            case .speexdsp: self = .speexdsp(SpeexDSPSettings())
            }
        }

        /// What it is called.
        public var name: Name {
            switch self {
            case .yodel: .yodel
            case .speexdsp: .speexdsp
            }
        }
    }

    /// How much work the canceller may do.
    public enum Quality: String, Sendable, CaseIterable {
        /// The Kalman filter alone: least CPU. SpeexDSP alone: a tail of 100 ms.
        case low
        /// Kalman filter, and SpeexDSP's with a tail of 40 ms. SpeexDSP alone: 200 ms.
        case medium
        /// Kalman filter, and SpeexDSP's with a tail of 60 ms. SpeexDSP alone: 400 ms.
        case high

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
    /// Strongest attenuation of noise, in dB, -40 ... 0.
    public var noiseSuppressionDecibels = -15.0
    /// Level the gain control brings near-end speech to, in dBFS, -40 ... -6.
    public var gainTargetDecibels = -20.0
    /// Most gain the gain control adds, in dB, 0 ... 30.
    public var maximumGainDecibels = 27.0
    /// Time in which the gain comes up by 10 dB while somebody speaks, in milliseconds, 100 ... 10,000; four times as fast in
    /// the first second of speech.
    public var gainReleaseMilliseconds = 800.0
    /// The numbers inside, found by measurement; for sweeps.
    package var tuning = VoiceTuning()

    public init() {}

    func validate() throws(AudioUnitError) {
        if case .speexdsp(let settings) = canceller {
            try Self.check(settings.tailMilliseconds(at: quality), 20...1000, "tailMilliseconds")
            try Self.check(settings.residualSuppressionDecibels, -60...0, "residualSuppressionDecibels")
            try Self.check(settings.doubleTalkSuppressionDecibels, -60...0, "doubleTalkSuppressionDecibels")
        }
        try Self.check(noiseSuppressionDecibels, -40...0, "noiseSuppressionDecibels")
        try Self.check(gainTargetDecibels, -40 ... -6, "gainTargetDecibels")
        try Self.check(maximumGainDecibels, 0...30, "maximumGainDecibels")
        try Self.check(gainReleaseMilliseconds, 100...10_000, "gainReleaseMilliseconds")
        if tuning != VoiceTuning() { try checkTuning() }
    }

    private func checkTuning() throws(AudioUnitError) {
        do {
            try tuning.validate()
        } catch {
            switch error {
            case .unknown(let name): throw .outOfRange(setting: name, allowed: "no such number")
            case .outOfRange(let name, _, let range):
                throw .outOfRange(setting: name, allowed: "\(range.lowerBound) to \(range.upperBound)")
            case .conflict(let reason): throw .outOfRange(setting: "tuning", allowed: "numbers without conflict: \(reason)")
            }
        }
    }

    private static func check(
        _ value: Double, _ range: ClosedRange<Double>, _ name: String
    ) throws(AudioUnitError) {
        guard range.contains(value) else {
            throw .outOfRange(setting: name, allowed: "\(range.lowerBound) to \(range.upperBound)")
        }
    }
}
