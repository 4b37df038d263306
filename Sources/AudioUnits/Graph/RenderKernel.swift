/// What a unit renders with: a C function over memory that `initialize()` allocated.
///
/// The function gets its context, the `RenderSlice` to fill (Float32, one run a channel, unless the unit's output format
/// says otherwise) and the unit's `UnitInputs`. It runs on the render thread: no lock, no allocation, no wait.
///
/// Sendable: a constant; the context is handed over as a whole, and only the thread that renders uses it.
public struct RenderKernel: @unchecked Sendable {
    /// Context, pointer to the `RenderSlice`, pointer to the `UnitInputs`.
    public typealias Function =
        @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeRawPointer) -> Void

    let context: UnsafeMutableRawPointer
    let function: Function
    let latencySeconds: Double
    /// Frees the context when nobody renders with it any more.
    let owner: AnyObject

    /// Takes `state` over and hands its address to `function`; the state ends when the unit is uninitialized and no
    /// render thread uses it any more.
    /// - `latencySeconds`: how much later than its input the output is.
    public init<State: ~Copyable>(
        _ state: consuming State, latencySeconds: Double = 0, function: @escaping Function
    ) {
        let box = KernelBox(state)
        context = UnsafeMutableRawPointer(box.place)
        self.function = function
        self.latencySeconds = latencySeconds
        owner = box
    }

    /// Boxes a closure. The compiler cannot check it against the render contract; the caller keeps to it.
    public init(
        latencySeconds: Double = 0, _ closure: @escaping @Sendable (inout RenderSlice, UnitInputs) -> Void
    ) {
        self.init(ClosureKernel(closure: closure), latencySeconds: latencySeconds) { context, slice, inputs in
            let kernel = context.assumingMemoryBound(to: ClosureKernel.self)
            kernel.pointee.closure(
                &slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }
}

private struct ClosureKernel: ~Copyable {
    let closure: @Sendable (inout RenderSlice, UnitInputs) -> Void
}

private final class KernelBox<State: ~Copyable> {
    let place: UnsafeMutablePointer<State>

    init(_ state: consuming State) {
        place = .allocate(capacity: 1)
        place.initialize(to: state)
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}

/// What a kernel is made for: the formats and bounds that are settled when a unit is initialized.
public struct UnitLayout: Sendable {
    /// Input elements, each with the format its kernel sees to begin with: Float32, one run a channel, at the unit's rate. Of a
    /// unit that mixes, a source that is connected later may bring up to the channels of its shape: allocate for those;
    /// `UnitInputs.channels` tells how many there are.
    public let inputs: [StreamFormat]
    /// The formats set on the inputs or brought by their connections, before any conversion.
    public let sources: [StreamFormat]
    /// What the kernel fills.
    public let output: StreamFormat
    /// The most frames one slice carries.
    public let maximumFrames: Int
    /// Quality of conversions, 0 ... 10.
    public let quality: Int
}

/// A unit's input elements, as its kernel sees them.
///
/// Sendable: it points to memory that only the thread that renders uses.
public struct UnitInputs: BitwiseCopyable, @unchecked Sendable {
    let slots: UnsafeMutablePointer<InputSlot>
    /// Input elements.
    public let count: Int

    /// Whether something feeds the element.
    @_noLocks
    public func isConnected(_ element: Int) -> Bool {
        element >= 0 && element < count && slots[element].isConnected
    }

    /// Channels that `pull` writes for the element; 0 when there is no such element.
    @_noLocks
    public func channels(_ element: Int) -> Int {
        element >= 0 && element < count ? slots[element].source.channels : 0
    }

    /// Renders the next `frames` frames of an element into runs of Float32, `channelStride` samples apart.
    ///
    /// Always fills all of them: what has no source, or what the source leaves, is zeros.
    /// - Returns: false when all of it is silence.
    @_noLocks
    public func pull(
        _ element: Int, into target: UnsafeMutablePointer<Float>, channelStride: Int, frames: Int, time: AudioTimeStamp
    ) -> Bool {
        guard element >= 0, element < count, frames > 0 else { return false }
        return slots[element].pull(into: target, stride: channelStride, frames: frames, time: time)
    }
}
