/// Tells that captured frames are there; the application fetches them with `InputNotice.render`.
///
/// What it does not fetch during the call is gone.
///
/// Sendable: it points to memory that the capture thread lends for the one call.
public struct InputNotice: BitwiseCopyable, @unchecked Sendable {
    /// When the first frame was at the microphone.
    public var time: AudioTimeStamp
    /// The element that has input, 1.
    public var element: Int
    /// Frames there are; never more than the maximum frames per slice.
    public var frames: Int
    /// The format they come in.
    public var format: StreamFormat
    /// The unit's own state.
    let source: UnsafeMutablePointer<CapturedSlice>

    @_noLocks
    init(time: AudioTimeStamp, frames: Int, format: StreamFormat, source: UnsafeMutablePointer<CapturedSlice>) {
        self.time = time
        element = Element.input
        self.frames = frames
        self.format = format
        self.source = source
    }

    /// Copies the next `frames` frames of a mono or interleaved Float32 format; the next call goes on from there.
    ///
    /// Returns the frames copied. An ask for more than are left is refused: 0, nothing is written, and it is counted.
    @_noLocks
    public func render(into buffer: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        guard format.sampleType.isFloat, format.interleaved || format.channels == 1 else { return 0 }
        return source.pointee.copy(frames: frames, into: UnsafeMutableRawPointer(buffer), channelByteStride: 0)
    }

    /// The same for any format: channels that are not interleaved go to runs `channelByteStride` bytes apart.
    @_noLocks
    public func render(into data: UnsafeMutableRawPointer, channelByteStride: Int, frames: Int) -> Int {
        source.pointee.copy(frames: frames, into: data, channelByteStride: channelByteStride)
    }
}

/// The application's ear for input: a C function with a context.
///
/// Sendable: a constant; the context is used by the capture thread, and the caller keeps it fit for that.
@frozen
public struct InputHandler: @unchecked Sendable {
    /// Context, and a pointer to the `InputNotice`. Runs on the render thread: no lock, no allocation, no wait.
    public typealias Function = @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> Void

    /// Handed to the function.
    public let context: UnsafeMutableRawPointer
    /// Is told of input.
    public let function: Function
    /// Keeps a boxed closure alive; nil when the caller owns the context.
    let owner: AnyObject?

    /// A function whose `context` the caller keeps alive as long as the unit uses it.
    public init(context: UnsafeMutableRawPointer, function: @escaping Function) {
        self.context = context
        self.function = function
        owner = nil
    }

    /// The same with an owner that frees the context when the last unit has let go of the handler.
    init(context: UnsafeMutableRawPointer, owner: AnyObject, function: @escaping Function) {
        self.context = context
        self.function = function
        self.owner = owner
    }

    /// Boxes a closure. The compiler cannot check it against the render contract; the caller keeps to it.
    public init(_ closure: @escaping @Sendable (InputNotice) -> Void) {
        let box = Box(closure)
        owner = box
        context = Unmanaged.passUnretained(box).toOpaque()
        function = { context, notice in
            let box = Unmanaged<Box>.fromOpaque(context)
            box._withUnsafeGuaranteedRef { $0.closure(notice.assumingMemoryBound(to: InputNotice.self).pointee) }
        }
    }

    private final class Box: Sendable {
        let closure: @Sendable (InputNotice) -> Void
        init(_ closure: @escaping @Sendable (InputNotice) -> Void) { self.closure = closure }
    }
}
