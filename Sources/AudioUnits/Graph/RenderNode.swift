import Realtime

/// An initialized unit as render threads see it: kernel, input slots and observers.
///
/// Lives until both the unit and every plan that renders with it have let go.
///
/// Sendable: all fields are constants; head and slots are the render thread's until nobody holds the node.
final class RenderNode: @unchecked Sendable {
    let head: UnsafeMutablePointer<NodeHead>
    let slots: UnsafeMutablePointer<InputSlot>
    let layout: UnitLayout
    let latencySeconds: Double
    private let observers: [RenderObserver]
    private let observerList: RenderObserver.List
    private let owners: [AnyObject]

    init(layout: UnitLayout, kernel: RenderKernel, observers: [RenderObserver], meters: UnitMetersBox) {
        self.layout = layout
        self.observers = observers
        latencySeconds = kernel.latencySeconds
        owners = [kernel.owner, meters]
        slots = .allocate(capacity: max(1, layout.inputs.count))
        for (index, format) in layout.inputs.enumerated() {
            var none = SlotSource()
            none.channels = format.channels
            (slots + index).initialize(
                to: InputSlot(source: none, sampleRate: format.sampleRate, meters: meters.pointer))
        }
        observerList = RenderObserver.List(observers)
        head = .allocate(capacity: 1)
        head.initialize(
            to: NodeHead(
                function: kernel.function, context: kernel.context,
                inputs: UnitInputs(slots: slots, count: layout.inputs.count), maximumFrames: layout.maximumFrames,
                observers: observerList, meters: meters.pointer))
    }

    deinit {
        slots.deallocate()
        observerList.free()
        head.deallocate()
    }

    /// How a slot asks this node.
    var callback: (function: RenderCallback.Function, context: UnsafeMutableRawPointer) {
        (renderNode, UnsafeMutableRawPointer(head))
    }
}

/// The part of a node that the render thread reads.
struct NodeHead: BitwiseCopyable {
    let function: RenderKernel.Function
    let context: UnsafeMutableRawPointer
    let inputs: UnitInputs
    let maximumFrames: Int
    let observers: RenderObserver.List
    let meters: UnsafeMutablePointer<UnitMeters>
}

@_noLocks
private func renderNode(_ context: UnsafeMutableRawPointer, _ slice: UnsafeMutableRawPointer) {
    let head = context.assumingMemoryBound(to: NodeHead.self)
    let slice = slice.assumingMemoryBound(to: RenderSlice.self)
    guard slice.pointee.frames <= head.pointee.maximumFrames else {
        head.pointee.meters.pointee.oversizedAsks.wrappingAdd(1, ordering: .relaxed)
        slice.pointee.producedFrames = 0
        return
    }
    head.pointee.observers.notify(isAfter: false, slice)
    withUnsafePointer(to: head.pointee.inputs) { inputs in
        CallSite.call(head.pointee.function, head.pointee.context, slice, inputs)
    }
    head.pointee.observers.notify(isAfter: true, slice)
    head.pointee.meters.pointee.outputFrames.wrappingAdd(slice.pointee.frames, ordering: .relaxed)
}

/// Counters of a unit, for as long as anybody renders with it.
///
/// Sendable: the address is constant, and what lies there are atomics.
final class UnitMetersBox: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<UnitMeters>

    init() {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: UnitMeters())
    }

    deinit {
        pointer.deinitialize(count: 1)
        pointer.deallocate()
    }
}
