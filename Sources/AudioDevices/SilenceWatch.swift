/// Notices that a microphone delivers nothing but digital zeros.
package struct SilenceWatch: BitwiseCopyable {
    /// Digital silence of this length is reported, in seconds.
    package static let seconds = 3.0

    private let limit: Int
    private var zeroFrames = 0

    /// A microphone that has not been heard yet.
    /// - Parameter rate: frames a second.
    @_noLocks
    package init(rate: Int) { limit = Int(Self.seconds * Double(rate)) }

    /// Takes note of a block.
    /// - Parameters:
    ///   - heard: whether any of its samples is not zero.
    ///   - frames: of it.
    /// - Returns: whether the microphone is silent now; nil: as before.
    @_noLocks
    package mutating func note(heard: Bool, frames: Int) -> Bool? {
        if heard {
            defer { zeroFrames = 0 }
            return zeroFrames >= limit ? false : nil
        }
        guard zeroFrames < limit else { return nil }
        zeroFrames &+= frames
        return zeroFrames >= limit ? true : nil
    }
}
