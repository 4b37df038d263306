/// The application's source of output: a C function with a context, because the render contract cannot look into a
/// stored closure.
///
/// Sendable: a constant; the context is used by the thread that renders, and the caller keeps it fit for that.
@frozen
public struct RenderCallback: @unchecked Sendable {
    /// Context, and a pointer to the `RenderSlice` to fill. Runs on the render thread: no lock, no allocation, no wait.
    public typealias Function = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void

    /// Context and frames: whether so many can be rendered now. Runs on the render thread, under the same rules.
    public typealias Readiness = @convention(c) (UnsafeMutableRawPointer, Int) -> Bool

    /// Handed to the functions.
    public let context: UnsafeMutableRawPointer
    /// Fills the slice.
    public let function: Function
    /// A device that still has something to play asks this first, and when it says no waits a moment for whoever fills
    /// what the callback renders from; nil: always ready.
    public let readiness: Readiness?
    /// Keeps a boxed closure alive; nil when the caller owns the context.
    let owner: AnyObject?

    /// Functions whose `context` the caller keeps alive as long as the unit uses it.
    public init(context: UnsafeMutableRawPointer, readiness: Readiness? = nil, function: @escaping Function) {
        self.context = context
        self.function = function
        self.readiness = readiness
        owner = nil
    }

    /// The same with an owner that frees the context when the last unit has let go of the callback.
    init(context: UnsafeMutableRawPointer, owner: AnyObject, function: @escaping Function) {
        self.context = context
        self.function = function
        readiness = nil
        self.owner = owner
    }

    /// Boxes a closure. The compiler cannot check it against the render contract; the caller keeps to it.
    public init(_ closure: @escaping @Sendable (inout RenderSlice) -> Void) {
        let box = Box(closure)
        owner = box
        readiness = nil
        context = Unmanaged.passUnretained(box).toOpaque()
        function = { context, slice in
            let box = Unmanaged<Box>.fromOpaque(context)
            box._withUnsafeGuaranteedRef { $0.closure(&slice.assumingMemoryBound(to: RenderSlice.self).pointee) }
        }
    }

    private final class Box: Sendable {
        let closure: @Sendable (inout RenderSlice) -> Void
        init(_ closure: @escaping @Sendable (inout RenderSlice) -> Void) { self.closure = closure }
    }
}
