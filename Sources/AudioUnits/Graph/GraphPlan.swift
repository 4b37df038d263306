import Realtime
import Synchronization

/// Every input slot of a graph with the source it is to have: how connections reach the render thread.
///
/// Made on a control thread, picked up by the render thread as a whole, freed when a later one is in force.
///
/// Sendable: filled before it is handed over, then only read.
final class GraphPlan: @unchecked Sendable {
    struct Entry: BitwiseCopyable {
        let slot: UnsafeMutablePointer<InputSlot>
        let source: SlotSource
    }

    struct Head: BitwiseCopyable {
        let entries: UnsafeMutablePointer<Entry>
        let count: Int
        /// Set before the plan is handed over.
        var number = 0
    }

    let head: UnsafeMutablePointer<Head>
    /// Nodes, converters and callbacks that the entries point to.
    private let retained: [AnyObject]

    init(_ entries: [Entry], retaining retained: [AnyObject]) {
        let place = UnsafeMutablePointer<Entry>.allocate(capacity: max(1, entries.count))
        for (index, entry) in entries.enumerated() { (place + index).initialize(to: entry) }
        head = .allocate(capacity: 1)
        head.initialize(to: Head(entries: place, count: entries.count))
        self.retained = retained
    }

    deinit {
        head.pointee.entries.deallocate()
        head.deallocate()
    }
}

/// Hands plans to the render thread and keeps what they point to alive.
///
/// The mailbox holds the newest plan that was not picked up; publishing another takes it back. A plan that was picked up
/// is kept until the render thread says that a later one is in force.
///
/// Sendable: plans are behind a lock and reach the render thread by atomics; root and slot are that thread's.
final class GraphRender: @unchecked Sendable {
    private struct Control {
        var plans: [GraphPlan] = []
        var number = 0
    }

    private let memory: UnsafeMutablePointer<GraphMail>
    /// Read only: through a mutable pointer the sanitizer takes atomic operations for changes of the whole.
    private let mail: UnsafePointer<GraphMail>
    let root: UnsafeMutablePointer<GraphRoot>
    let rootSlot: UnsafeMutablePointer<InputSlot>
    private let control = Lock(Control())
    private let meters: UnitMetersBox

    /// `format` is what the output unit asks for: Float32, one run a channel.
    init(format: StreamFormat, meters: UnitMetersBox) {
        self.meters = meters
        var none = SlotSource()
        none.channels = format.channels
        rootSlot = .allocate(capacity: 1)
        rootSlot.initialize(to: InputSlot(source: none, sampleRate: format.sampleRate, meters: meters.pointer))
        memory = .allocate(capacity: 1)
        memory.initialize(to: GraphMail())
        mail = UnsafePointer(memory)
        root = .allocate(capacity: 1)
        root.initialize(to: GraphRoot(mail: mail, slot: rootSlot, sampleRate: format.sampleRate))
    }

    deinit {
        root.deinitialize(count: 1)
        root.deallocate()
        rootSlot.deallocate()
        memory.deinitialize(count: 1)
        memory.deallocate()
    }

    /// What the output unit renders with; keeps this object alive.
    var callback: RenderCallback {
        RenderCallback(context: UnsafeMutableRawPointer(root), owner: self, function: renderGraph)
    }

    /// Has the render thread take over `entries`, at once if it has not rendered yet. Takes out the plans that it no longer needs;
    /// they end with the last that holds them.
    func publish(_ entries: [GraphPlan.Entry], retaining retained: [AnyObject]) -> [GraphPlan] {
        let plan = GraphPlan(entries, retaining: retained)
        return control.withLock { control in
            control.number += 1
            plan.head.pointee.number = control.number
            control.plans.append(plan)
            let unseen = mail.pointee.mailbox.exchange(UInt(bitPattern: plan.head), ordering: .acquiringAndReleasing)
            return takeUnused(&control, and: unseen)
        }
    }

    /// Takes out the plans that the render thread no longer needs; they end with the last that holds them.
    func takeUnused() -> [GraphPlan] { control.withLock { takeUnused(&$0, and: 0) } }

    /// `unseen` is the address of a plan that the render thread has not picked up, 0 where there is none.
    private func takeUnused(_ control: inout Control, and unseen: UInt) -> [GraphPlan] {
        let applied = mail.pointee.applied.load(ordering: .acquiring)
        let used = control.plans.partition {
            (unseen != 0 && UInt(bitPattern: $0.head) == unseen) || $0.head.pointee.number < applied
        }
        defer { control.plans.removeSubrange(used...) }
        return Array(control.plans[used...])
    }

    /// Whether the render thread has taken over everything published.
    var isSettled: Bool {
        control.withLock { $0.number == mail.pointee.applied.load(ordering: .acquiring) }
    }
}
