/// By how much a frame of the microphone is taken later than usual.
///
/// A stop of some milliseconds may end soon after a turn of the device was due, which then is hardly late (`MachineLateness`); a frame
/// that became whole at its beginning is late by all of it. What the frame's own age says is therefore told to the other side as well.
package struct FrameLateness {
    /// Less than that, in milliseconds, is none.
    package static let leastMilliseconds = 1.0
    /// Beyond so many times the usual deviation: a device that captures in blocks of its own hands over frames of every age.
    private static let mostDeviations = 4.0
    /// Frames that both are taken over.
    private static let frames = 32.0

    private var usual: Double?
    private var deviation = 0.0

    package init() {}

    /// A frame is taken.
    /// - Parameter ageMilliseconds: since its first sample was at the microphone.
    /// - Returns: milliseconds by which that is more than usual; 0 where it is not.
    package mutating func note(ageMilliseconds age: Double) -> Double {
        guard let before = usual else {
            usual = age
            return 0
        }
        let excess = age - before
        let limit = max(Self.leastMilliseconds, Self.mostDeviations * deviation)
        let counted = max(-limit, min(limit, excess))
        usual = before + counted / Self.frames
        deviation += (abs(counted) - deviation) / Self.frames
        return excess >= limit ? excess : 0
    }
}
