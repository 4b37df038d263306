/// What only SpeexDSP's canceller and suppressor can be told.
public struct SpeexDSPSettings: Sendable, Equatable {
    /// Echo tail, 20 ... 1000 ms; nil leaves it to the quality.
    public var tailMilliseconds: Double?
    /// Strongest attenuation of residual echo while the far end speaks alone, in dB, -60 ... 0.
    public var residualSuppressionDecibels = -45.0
    /// The same while both speak, in dB, -60 ... 0.
    public var doubleTalkSuppressionDecibels = -20.0

    public init() {}

    /// The tail in force, in milliseconds: 100, 200 or 400 by the quality, unless it is set.
    public func tailMilliseconds(at quality: VoiceProcessingConfiguration.Quality) -> Double {
        if let tailMilliseconds { return tailMilliseconds }
        return switch quality {
        case .low: 100
        case .medium: 200
        case .high: 400
        }
    }
}
