import Realtime

/// Where one direction of a device stood when its last block went by.
///
/// A device thread publishes it, the media thread reads it: the delay ledger and the placing of samples in time need
/// nothing else.
@frozen
public struct StreamTiming: BitwiseCopyable, Sendable {
    /// Application-side index of the block's first sample, counted since the start.
    public var sampleIndex: Int64
    /// When that sample was at the microphone, or will be at the loudspeaker.
    public var hostTime: HostTime
    /// Samples asked for, or handed over, in that block.
    public var frames: Int
    /// False until the first block went by.
    public var isValid: Bool

    @_noLocks
    public init(sampleIndex: Int64, hostTime: HostTime, frames: Int, isValid: Bool = true) {
        self.sampleIndex = sampleIndex
        self.hostTime = hostTime
        self.frames = frames
        self.isValid = isValid
    }

    /// Nothing went by yet.
    public static let none = StreamTiming(sampleIndex: 0, hostTime: .zero, frames: 0, isValid: false)

    /// When the sample `index` is, or was, at the transducer, at `sampleRate` samples a second.
    public func hostTime(of index: Int64, sampleRate: Int) -> HostTime {
        hostTime.advanced(byMilliseconds: Double(index - sampleIndex) * 1000 / Double(sampleRate))
    }
}
