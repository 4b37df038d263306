import DSP

/// Whether somebody in a conference is to be heard: at once when he says something, and until he has been quiet for a while.
/// What is quieter is nobody's voice, and fifty times it would be a roar. Sans-I/O.
public struct VoiceActivity: Sendable {
    /// He is heard for so long after he was last louder, in milliseconds.
    public static let hangoverMilliseconds = 1000.0
    /// Mean square from which a frame is somebody's voice: -50 dBov, as `LevelMeter` takes pauses.
    private static let threshold: Float = 1e-5

    /// Whether he is heard in the frame at hand.
    public private(set) var isActive = false
    private var quiet = Double.infinity

    public init() {}

    /// Notes a frame.
    /// - Parameters:
    ///   - frame: what he said.
    ///   - milliseconds: its length.
    /// - Returns: whether he is to be heard in it.
    public mutating func note(_ frame: UnsafeBufferPointer<Float>, milliseconds: Double) -> Bool {
        quiet = LevelMeter.measure(frame).energy > Self.threshold * Float(frame.count) ? 0 : quiet + milliseconds
        isActive = quiet < Self.hangoverMilliseconds
        return isActive
    }
}
