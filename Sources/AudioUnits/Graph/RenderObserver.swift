/// Sees every slice a unit renders, before and after, without being in the chain.
///
/// Sendable: a constant; the context is used by the thread that renders, and the caller keeps it fit for that.
public struct RenderObserver: @unchecked Sendable {
    /// Context, true after and false before the unit rendered, pointer to the `RenderSlice`. Runs on the render thread:
    /// no lock, no allocation, no wait, and the slice is only read.
    public typealias Function = @convention(c) (UnsafeMutableRawPointer, Bool, UnsafeRawPointer) -> Void

    struct Entry: BitwiseCopyable {
        let context: UnsafeMutableRawPointer
        let function: Function
    }

    let entry: Entry
    private let owner: AnyObject?

    /// A function whose `context` the caller keeps alive as long as the unit uses it.
    public init(context: UnsafeMutableRawPointer, function: @escaping Function) {
        entry = Entry(context: context, function: function)
        owner = nil
    }

    /// The same with an owner that frees the context when the last unit has let go of the observer.
    init(context: UnsafeMutableRawPointer, owner: AnyObject, function: @escaping Function) {
        entry = Entry(context: context, function: function)
        self.owner = owner
    }

    /// Boxes a closure. The compiler cannot check it against the render contract; the caller keeps to it.
    public init(_ closure: @escaping @Sendable (_ isAfter: Bool, _ slice: RenderSlice) -> Void) {
        let box = Box(closure)
        owner = box
        entry = Entry(context: Unmanaged.passUnretained(box).toOpaque()) { context, isAfter, slice in
            let box = Unmanaged<Box>.fromOpaque(context)
            box._withUnsafeGuaranteedRef {
                $0.closure(isAfter, slice.assumingMemoryBound(to: RenderSlice.self).pointee)
            }
        }
    }

    /// Observers in the order they were added, as render threads see them; freed by who made it.
    struct List: BitwiseCopyable {
        private let entries: UnsafeMutablePointer<Entry>
        private let count: Int

        init(_ observers: [RenderObserver]) {
            entries = .allocate(capacity: max(1, observers.count))
            for (index, observer) in observers.enumerated() { (entries + index).initialize(to: observer.entry) }
            count = observers.count
        }

        func free() { entries.deallocate() }

        var isEmpty: Bool { @_noLocks get { count == 0 } }

        @_noLocks
        func notify(isAfter: Bool, _ slice: UnsafePointer<RenderSlice>) {
            for index in 0..<count { CallSite.call(entries[index], isAfter: isAfter, slice) }
        }
    }

    private final class Box: Sendable {
        let closure: @Sendable (Bool, RenderSlice) -> Void
        init(_ closure: @escaping @Sendable (Bool, RenderSlice) -> Void) { self.closure = closure }
    }
}
