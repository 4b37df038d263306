import Codecs

/// How the delay is moved towards its target by shortening and lengthening sound.
extension JitterBuffer {
    /// In sound the delay is lowered only when no settled pause came for so long, in milliseconds: stretching speech
    /// costs quality, a pause does not.
    private static let patienceBeforeAccelerating = 3000.0
    /// Raising it is more urgent: the alternative is a gap.
    private static let patienceBeforeDecelerating = 1000.0
    /// From here on any join will do: noise has no pitch.
    private static let patienceForPitch = 6000.0

    /// Appends one frame, shortened or lengthened towards `stretch` if its sound allows.
    /// - Returns: samples taken out; negative when some were put in.
    func append(_ frame: UnsafePointer<Float>, count: Int, stretch: Int, _ call: inout Call) -> Int {
        guard stretch != 0 else {
            workspace.queue.append(frame, count: count)
            return 0
        }
        // The past right before the frame: joins may reach back.
        let past = workspace.frame
        workspace.joined.base.update(from: workspace.queue.tail(past), count: past)
        let origin = workspace.joined.base + past
        origin.update(from: frame, count: count)
        guard let plan = plan(UnsafePointer(origin), count: count, past: past, stretch: stretch) else {
            workspace.queue.append(frame, count: count)
            return 0
        }
        let length = Splice.apply(
            origin: UnsafePointer(origin), count: count, shift: plan.shift, fade: plan.fade,
            into: workspace.output.base)
        workspace.queue.append(workspace.output.base, count: length)
        let milliseconds = Double(abs(plan.shift)) * 1000 / Double(sampleRate)
        if plan.shift > 0 {
            statistics.acceleratedMs += milliseconds
            ledger.removed += Int64(plan.shift)
            call.note(.accelerate)
        } else {
            statistics.deceleratedMs += milliseconds
            ledger.inserted -= Int64(plan.shift)
            call.note(.decelerate)
        }
        return plan.shift
    }

    private func plan(_ frame: UnsafePointer<Float>, count: Int, past: Int, stretch: Int) -> SplicePlan? {
        let rate = sampleRate
        let threshold: Float = pauses.sinceSettled > Self.patienceForPitch ? -1 : 0.6
        if stretch > 0 {
            if pauses.isSettled { return Accelerate.inPause(frame, count: count, wanted: stretch, sampleRate: rate) }
            guard pauses.sinceSettled > Self.patienceBeforeAccelerating else { return nil }
            return Accelerate.inSound(frame, count: count, wanted: stretch, sampleRate: rate, threshold: threshold)
        }
        if pauses.isSettled {
            return Decelerate.inPause(frame, count: count, past: past, wanted: -stretch, sampleRate: rate)
        }
        guard pauses.sinceSettled > Self.patienceBeforeDecelerating else { return nil }
        return Decelerate.inSound(
            frame, count: count, past: past, wanted: -stretch, sampleRate: rate, threshold: threshold)
    }

    /// Samples by which the delay exceeds its target (negative: falls short of it), as far as it matters.
    ///
    /// A packet is needed at the start of the pull that reaches it, up to a block before its first sample is due.
    /// Packets begin at places in their blocks that differ by the common divisor of both lengths: down to the next
    /// such place the delay can be lowered for nothing, and from there by whole divisors only.
    func excess(of head: StoredPacket, _ axis: StreamAxis, _ call: Call) -> Int {
        guard let start = clock.earliest, let floor = history.floor else { return 0 }
        let needed = start + axis.milliseconds(call.start) - axis.mediaMilliseconds(head.position)
        let into = pulled - call.start + Int64(workspace.queue.pending)
        let divisor = call.divisor(packet: head.duration)
        let free = into % divisor
        let latest = Int64(call.wanted) - divisor + free
        let spare = needed - axis.milliseconds(latest - into) - (floor + target.aboveFloor)
        let grid = axis.milliseconds(divisor)
        let deadZone = 4 + 0.04 * (history.standingQueue + target.aboveFloor)
        let excess = axis.milliseconds(free) + grid * (spare / grid).rounded(.down)
        if spare < 0 {
            guard spare < -min(deadZone, 0.75 * target.margin) else { return 0 }
        } else {
            guard excess >= deadZone else { return 0 }
        }
        guard abs(excess) < 10_000 else { return 0 }
        return Int(excess * Double(sampleRate) / 1000)
    }
}
