import Realtime

/// Taps the sound of an `AudioQueue`, before or after its effect: hears it, or makes what is heard out of it.
///
/// Sendable: a constant; the context is used by the thread that renders, and the caller keeps it fit for that.
public struct ProcessingTap: @unchecked Sendable {
    /// Where the tap sits.
    public enum Place: Sendable {
        /// Between the buffers and the effect.
        case beforeEffects
        /// Behind the effect.
        case afterEffects
    }

    /// How the tap comes by the sound.
    public enum Mode: Sendable {
        /// It is handed the sound, which goes on as it is: only to be read.
        case siphon
        /// It fills its slice itself, out of as much source audio as it asks for with `TapSlice.sourceAudio`: more than its
        /// slice, less, or none.
        case source
    }

    /// What a tap allocates for.
    public struct Layout: Sendable, Equatable {
        /// The most frames of one slice, and of one ask for source audio.
        public let maximumFrames: Int
        /// The processing format: Float32, one run a channel.
        public let format: StreamFormat
    }

    /// Context, and a pointer to the `TapSlice`. Runs on the render thread: no lock, no allocation, no wait.
    public typealias Function = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

    let place: Place
    let mode: Mode
    let context: UnsafeMutableRawPointer
    let function: Function
    /// Keeps a boxed closure alive; nil when the caller owns the context.
    let owner: AnyObject?
    let prepare: (@Sendable (Layout) -> Void)?

    /// A function whose `context` the caller keeps alive until the tap is removed.
    /// - `prepare`: told the layout before the first slice, and again when the queue is initialized again; must not
    ///   call the queue.
    public init(
        _ place: Place, _ mode: Mode, prepare: (@Sendable (Layout) -> Void)? = nil, context: UnsafeMutableRawPointer,
        function: @escaping Function
    ) {
        self.place = place
        self.mode = mode
        self.context = context
        self.function = function
        self.prepare = prepare
        owner = nil
    }

    /// Boxes a closure. The compiler cannot check it against the render contract; the caller keeps to it.
    public init(
        _ place: Place, _ mode: Mode, prepare: (@Sendable (Layout) -> Void)? = nil,
        _ closure: @escaping @Sendable (inout TapSlice) -> Void
    ) {
        let box = Box(closure)
        self.place = place
        self.mode = mode
        self.prepare = prepare
        owner = box
        context = Unmanaged.passUnretained(box).toOpaque()
        function = { context, slice in
            let box = Unmanaged<Box>.fromOpaque(context)
            box._withUnsafeGuaranteedRef { $0.closure(&slice.assumingMemoryBound(to: TapSlice.self).pointee) }
        }
    }

    private final class Box: Sendable {
        let closure: @Sendable (inout TapSlice) -> Void
        init(_ closure: @escaping @Sendable (inout TapSlice) -> Void) { self.closure = closure }
    }
}

/// One turn of a tap.
///
/// Sendable: it points to memory that the render thread lends for the one call.
public struct TapSlice: BitwiseCopyable, @unchecked Sendable {
    /// Frames that have left the tap before this slice, and when the slice is heard.
    public let time: AudioTimeStamp
    /// Frames of the slice.
    public let frames: Int
    /// Float32, one run a channel.
    public let format: StreamFormat
    /// The first channel: the sound for a siphon, zeros to be filled otherwise.
    public let buffer: UnsafeMutablePointer<Float>
    /// Samples from one channel's run to the next.
    public let channelStride: Int
    /// Frames that hold sound: for a siphon what the queue had, otherwise lowered by a tap that fills less.
    public var producedFrames: Int
    let kernel: UnsafeMutablePointer<QueueKernel>
    let mayAsk: Bool

    /// Channel `index` of the slice.
    @_noLocks
    public func channel(_ index: Int) -> UnsafeMutablePointer<Float> { buffer + index &* channelStride }

    /// What an ask for source audio brought.
    public struct SourceAudio: BitwiseCopyable, Sendable {
        /// Frames there were; the rest of what was asked for was not touched.
        public let frames: Int
        /// The source's own time: its frames taken before these. Not the slice's: a tap may take more or less than it hands
        /// on.
        public let time: AudioTimeStamp
    }

    /// Takes the next `frames` frames of the source into runs `channelStride` samples apart.
    ///
    /// No more than the layout's maximum at once, as often as the tap likes; a siphon, and an ask for more, get 0 frames.
    @_noLocks
    public func sourceAudio(
        into target: UnsafeMutablePointer<Float>, channelStride: Int, frames: Int
    ) -> SourceAudio {
        guard mayAsk else { return SourceAudio(frames: 0, time: time) }
        return QueueKernel.sourceAudio(
            kernel, into: target, stride: channelStride, frames: frames, heardAt: time.hostTime)
    }
}
