public import Realtime

/// When a slice happens, on both clocks.
@frozen
public struct AudioTimeStamp: Sendable, Equatable, BitwiseCopyable {
    /// Frames since the start, at the application's rate, of the slice's first frame.
    public var sampleTime: Int64
    /// When the first frame was at the microphone, or will be at the loudspeaker.
    public var hostTime: HostTime

    @_noLocks
    public init(sampleTime: Int64, hostTime: HostTime) {
        self.sampleTime = sampleTime
        self.hostTime = hostTime
    }
}

/// What a render callback says about the slice it filled.
@frozen
public struct RenderFlags: OptionSet, Sendable, BitwiseCopyable {
    public var rawValue: UInt32

    @_noLocks
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The slice is silence: the unit zeroes the buffers, whatever they hold.
    public static var outputIsSilence: RenderFlags {
        @_noLocks get { RenderFlags(rawValue: 1) }
    }
}

/// One request to fill `frames` frames of output.
///
/// The memory belongs to the unit, is zeroed before the call, and is valid during it.
///
/// Sendable: it points to memory that the thread that renders lends for the one call.
@frozen
public struct RenderSlice: BitwiseCopyable, @unchecked Sendable {
    /// Set `outputIsSilence` to play silence.
    public var flags: RenderFlags
    /// When the first frame will be heard.
    public var time: AudioTimeStamp
    /// The element asked, 0.
    public var element: Int
    /// Frames wanted; never more than the maximum frames per slice.
    public var frames: Int
    /// The format to fill in.
    public var format: StreamFormat
    /// The first channel's first sample, or the interleaved samples.
    public var data: UnsafeMutableRawPointer
    /// Bytes from one channel's run to the next when the format is not interleaved.
    public var channelByteStride: Int
    /// Frames really filled; `frames` unless the callback lowers it. The rest is zeroed and counted.
    public var producedFrames: Int

    @_noLocks
    init(
        time: AudioTimeStamp, element: Int, frames: Int, format: StreamFormat, data: UnsafeMutableRawPointer,
        channelByteStride: Int
    ) {
        flags = RenderFlags(rawValue: 0)
        self.time = time
        self.element = element
        self.frames = frames
        self.format = format
        self.data = data
        self.channelByteStride = channelByteStride
        producedFrames = frames
    }

    /// The first channel (all channels when interleaved); only for a Float32 format.
    public var buffer: UnsafeMutablePointer<Float> {
        @_noLocks get { data.assumingMemoryBound(to: Float.self) }
    }

    /// Channel `index` of a Float32 format that is not interleaved.
    @_noLocks
    public func channel(_ index: Int) -> UnsafeMutablePointer<Float> {
        (data + index &* channelByteStride).assumingMemoryBound(to: Float.self)
    }

    /// Whether the slice was declared silent.
    public var outputIsSilence: Bool {
        @_noLocks get { flags.rawValue & 1 != 0 }
        @_noLocks set { flags = RenderFlags(rawValue: newValue ? flags.rawValue | 1 : flags.rawValue & ~1) }
    }
}
