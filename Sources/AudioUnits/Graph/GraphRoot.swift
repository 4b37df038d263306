import Realtime
import Synchronization

/// What a graph's control threads and its render thread both touch; apart from `GraphRoot`, which is the render thread's.
struct GraphMail: ~Copyable {
    /// Address of a `GraphPlan.Head`, 0 when there is none.
    let mailbox = Atomic<UInt>(0)
    /// Number of the plan in force.
    let applied = Atomic<Int>(0)
}

/// A graph on the render thread: takes plans over between slices, then pulls the last connection.
///
/// A plan that changes something that sounds is taken over in two steps: the old sources fade out, over 5 ms of their own
/// frames, then all changes happen between two slices and the new sources fade in. Nothing else is touched meanwhile.
struct GraphRoot: ~Copyable {
    // Before `mail`: ThreadSanitizer's build (Swift 6.3) takes what the first field points to for what `render` modifies.
    private let slot: UnsafeMutablePointer<InputSlot>
    private let mail: UnsafePointer<GraphMail>
    private var incoming: UnsafeMutablePointer<GraphPlan.Head>?
    private var waitedFrames = 0
    private var hasRendered = false
    /// A slot that nobody pulls does not fade; the change waits for it no longer than 50 ms.
    private let longestWait: Int

    init(mail: UnsafePointer<GraphMail>, slot: UnsafeMutablePointer<InputSlot>, sampleRate: Double) {
        self.mail = mail
        self.slot = slot
        longestWait = Int(sampleRate) / 20
    }

    @_noLocks
    mutating func render(_ slice: UnsafeMutablePointer<RenderSlice>) {
        takeOver()
        let time = slice.pointee.time
        let frames = slice.pointee.frames
        let sounds = slot.pointee.pull(
            into: slice.pointee.buffer, stride: slice.pointee.channelByteStride / MemoryLayout<Float>.stride,
            frames: frames, time: time)
        if !sounds { slice.pointee.outputIsSilence = true }
        waitedFrames &+= frames
        hasRendered = true
    }

    @_noLocks
    private mutating func takeOver() {
        if incoming == nil, mail.pointee.mailbox.load(ordering: .relaxed) != 0 {
            let address = mail.pointee.mailbox.exchange(0, ordering: .acquiringAndReleasing)
            incoming = UnsafeMutablePointer(bitPattern: address)
            waitedFrames = 0
            if hasRendered { fadeOut() }
        }
        guard let plan = incoming, !hasRendered || waitedFrames >= longestWait || isFadedOut(plan) else { return }
        for index in 0..<plan.pointee.count {
            let entry = plan.pointee.entries[index]
            if entry.slot.pointee.source.identifier != entry.source.identifier {
                entry.slot.pointee.connect(entry.source, fadesIn: hasRendered && entry.source.function != nil)
            }
        }
        incoming = nil
        mail.pointee.applied.store(plan.pointee.number, ordering: .releasing)
    }

    @_noLocks
    private func fadeOut() {
        guard let plan = incoming else { return }
        for index in 0..<plan.pointee.count {
            let entry = plan.pointee.entries[index]
            if entry.slot.pointee.source.identifier != entry.source.identifier { entry.slot.pointee.fadeOut() }
        }
    }

    @_noLocks
    private func isFadedOut(_ plan: UnsafeMutablePointer<GraphPlan.Head>) -> Bool {
        for index in 0..<plan.pointee.count {
            let entry = plan.pointee.entries[index]
            if entry.slot.pointee.source.identifier != entry.source.identifier, entry.slot.pointee.isConnected,
                !entry.slot.pointee.isFadedOut
            {
                return false
            }
        }
        return true
    }
}

/// The output unit's render callback.
@_noLocks
func renderGraph(_ context: UnsafeMutableRawPointer, _ slice: UnsafeMutableRawPointer) {
    context.assumingMemoryBound(to: GraphRoot.self).pointee.render(slice.assumingMemoryBound(to: RenderSlice.self))
}
