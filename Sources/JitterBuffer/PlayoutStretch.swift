import Codecs

/// How the delay is moved towards its target by shortening and lengthening sound.
extension JitterBuffer {
    /// Speech is not stretched: it costs half a point of PESQ, and its next settled pause is seldom further away than this,
    /// in milliseconds. Sound without pauses is music or noise; the longer it lasts, the smaller the way that is worth it.
    private static let patience = 5000.0
    private static let lastPatience = 15_000.0
    /// A delay this far above its target is lowered in a shorter pause too, once that has lasted so long; in milliseconds.
    /// Settled pauses may be seconds apart in fluent speech. Over recorded networks it cost no PESQ, and made the mean delay
    /// 0.4 ms shorter, with longer clips 1.7 ms.
    private static let farAbove = 50.0
    private static let shortPause = 80.0
    /// Way in milliseconds that is worth it when patience ends.
    private static let greatWay = 100.0
    /// From here on any join will do: noise has no pitch.
    private static let patienceForPitch = 7000.0
    /// How often a tone is looked for while the delay waits for a pause, in milliseconds.
    private static let toneInterval = 500.0

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
        if isInPause(movingBy: stretch) {
            movesInSound = false
            return stretch > 0
                ? Accelerate.inPause(frame, count: count, wanted: stretch, sampleRate: rate)
                : Decelerate.inPause(frame, count: count, past: past, wanted: -stretch, sampleRate: rate)
        }
        // Of a steady tone a cycle more or less is not heard.
        let isTone = isInTone(milliseconds: Double(count) * 1000 / Double(rate))
        guard isTone || movesInSound || isWorthStretching(by: stretch) else { return nil }
        if !isTone { movesInSound = true }
        let threshold: Float = pauses.sinceSettled > Self.patienceForPitch ? -1 : 0.6
        return stretch > 0
            ? Accelerate.inSound(frame, count: count, wanted: stretch, sampleRate: rate, threshold: threshold)
            : Decelerate.inSound(
                frame, count: count, past: past, wanted: -stretch, sampleRate: rate, threshold: threshold)
    }

    private func isInPause(movingBy stretch: Int) -> Bool {
        let isFar = Double(stretch) * 1000 / Double(sampleRate) > Self.farAbove
        return pauses.isSettled || (isFar && pauses.pauseMilliseconds > Self.shortPause)
    }

    /// Whether what was heard last is a steady tone, or digital silence, which is as good. It is seldom a tone, and looking for
    /// its pitch costs more than all the rest of a pull: twice a second is enough, until one is found.
    private func isInTone(milliseconds: Double) -> Bool {
        if Sums.energy(workspace.queue.tail(workspace.frame), count: workspace.frame) < 1e-9 { return true }
        sinceToneSearch += milliseconds
        guard isTone || sinceToneSearch >= Self.toneInterval else { return false }
        sinceToneSearch = 0
        isTone = workspace.pitch.before(workspace.queue.tail(0)).voicing >= Concealment.steadyTone
        return isTone
    }

    private func isWorthStretching(by stretch: Int) -> Bool {
        let over = pauses.sinceSettled - Self.patience
        guard over > 0 else { return false }
        let way = Double(abs(stretch)) * 1000 / Double(sampleRate)
        return way > Self.greatWay * max(0, 1 - over / (Self.lastPatience - Self.patience))
    }

    /// Samples by which the delay exceeds its target (negative: falls short of it), as far as it matters.
    ///
    /// A packet is needed at the start of the pull that reaches it, up to a block before its first sample is due.
    /// Packets begin at places in their blocks that differ by the common divisor of both lengths: down to the next
    /// such place the delay can be lowered for nothing, and from there by whole divisors only. Where packets are lost, the
    /// place above the target is taken if the one below is clearly dearer. Elsewhere each near miss is a shift in speech: the
    /// lower one is taken only if half of the target's margin covers what it lacks.
    func excess(of head: StoredPacket, _ axis: StreamAxis, _ call: Call) -> Int {
        guard let start = clock.earliest, let floor = history.floor else { return 0 }
        let needed = start + axis.milliseconds(call.start) - axis.mediaMilliseconds(head.position)
        let into = pulled - call.start + Int64(workspace.queue.pending)
        let divisor = call.divisor(packet: head.duration)
        let free = into % divisor
        let latest = Int64(call.wanted) - divisor + free
        let spare = needed - axis.milliseconds(latest - into) - (floor + target.aboveFloor)
        let grid = axis.milliseconds(divisor)
        let steps = steps(over: spare, grid: grid)
        let excess = axis.milliseconds(free) + grid * steps
        let deadZone = 0.5 + 0.08 * (history.standingQueue + target.aboveFloor)
        let matters = excess < 0 ? target.hasLoss || spare < -0.75 * target.margin : excess >= deadZone
        guard matters, abs(excess) < 10_000 else {
            movesInSound = false
            return 0
        }
        return Int(excess * Double(sampleRate) / 1000)
    }

    /// What a move must win, in milliseconds of delay, before it is made for a lower cost alone.
    private static let leastGain = 1.0
    /// How much dearer the lower place may be where packets are lost: one more gap among many is less than it costs elsewhere.
    /// Over random and bursty loss 8 ms made the delay 2 to 5 ms shorter and took 0.00 to 0.04 off PESQ.
    private static let lossLeniency = 8.0

    /// Steps of `grid` milliseconds from the present place, `spare` milliseconds over the target, down to the place to take.
    private func steps(over spare: Double, grid: Double) -> Double {
        guard target.hasLoss else { return ((spare + 0.5 * min(target.margin, grid)) / grid).rounded(.down) }
        let steps = (spare / grid).rounded(.down)
        let upper = target.aboveFloor + spare - steps * grid
        // Below the target the present place can only be the lower one.
        let gain = spare < 0 ? -Self.leastGain : Self.leastGain
        let isLowerTaken = target.cost(of: upper - grid) <= target.cost(of: upper) + Self.lossLeniency - gain
        return isLowerTaken ? steps + 1 : steps
    }
}
