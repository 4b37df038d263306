import Codecs

/// What happens to samples on their way into the queue: invented, joined, shortened or lengthened.
extension JitterBuffer {
    /// In sound the delay is lowered only when no settled pause came for so long, in milliseconds: stretching speech
    /// costs quality, a pause does not.
    private static let patienceBeforeAccelerating = 3000.0
    /// Raising it is more urgent: the alternative is a gap.
    private static let patienceBeforeDecelerating = 1000.0
    /// From here on any join will do: noise has no pitch.
    private static let patienceForPitch = 6000.0
    /// Gaps up to here count as short, in milliseconds.
    private static let shortGap = 60.0

    // MARK: Concealment

    /// Invents sound in place of what is missing.
    /// - Parameter isEmpty: whether the buffer holds nothing at all.
    func conceal(_ wanted: Int, isEmpty: Bool, _ call: inout Call) {
        let rate = sampleRate
        let elapsed = Double(gap.concealed) * 1000 / Double(rate)
        let isSilence = lastWasSilence || (isEmpty && pauses.isSettled)
        if !gap.isOpen {
            workspace.concealment.begin(end: workspace.queue.tail(0))
            gap.isCounted = false
            gap.isLong = false
        }
        if !isSilence, !gap.isCounted {
            gap.isCounted = true
            statistics.concealments += 1
        }
        if isEmpty, !isSilence, gap.emptied == 0 { statistics.underruns += 1 }

        let output = workspace.decoded.base
        let limit = workspace.decoded.count
        // Opus conceals in steps of 2.5 ms; what is too much becomes delay, or is skipped afterwards.
        let step = max(1, rate / 400)
        let whole = min((max(wanted, 1) + step - 1) / step * step, limit / step * step)
        var count = whole
        let isConcealed = decoder.conceal(frames: whole, into: workspace.decoded.buffer)
        if isConcealed, !isSilence, workspace.concealment.isSteadyTone {
            // The decoder's own try only keeps its state going.
            workspace.concealment.generate(into: output, count: count)
            gap.needsMerge = true
        } else if !isConcealed {
            count = min(max(wanted, 1), limit)
            gap.needsMerge = true
            if isSilence {
                noise.generate(into: output, count: count, level: pauses.noise)
            } else {
                workspace.concealment.generate(into: output, count: count)
                if elapsed > 100 { addNoise(to: output, count: count) }
            }
        }
        workspace.queue.append(output, count: count)
        gap.concealed += Int64(count)
        if isEmpty, !isSilence { gap.emptied += Int64(count) }

        let milliseconds = Double(count) * 1000 / Double(rate)
        if isSilence {
            statistics.comfortNoiseMs += milliseconds
            lastSound = .comfortNoise
        } else if elapsed < Self.shortGap {
            statistics.concealShortMs += milliseconds
            lastSound = .concealShort
        } else {
            statistics.concealLongMs += milliseconds
            if !gap.isLong { statistics.longConcealments += 1 }
            gap.isLong = true
            lastSound = .concealLong
        }
        call.note(lastSound)
    }

    private func addNoise(to output: UnsafeMutablePointer<Float>, count: Int) {
        let scratch = workspace.output
        var done = 0
        while done < count {
            let part = min(count - done, scratch.count)
            noise.generate(into: scratch.base, count: part, level: pauses.noise)
            for index in 0..<part { output[done + index] += scratch.base[index] }
            done += part
        }
    }

    // MARK: Delivery

    /// Sends decoded samples to the queue: merged with what was invented before them, then stretched as wanted.
    /// - Parameters:
    ///   - made: samples in `workspace.decoded`.
    ///   - skip: those of them that are too late.
    ///   - stretch: samples to take out (positive) or put in (negative).
    func deliver(_ made: Int, skip: Int, stretch: Int, _ call: inout Call) {
        var start = workspace.decoded.base + min(max(skip, 0), made)
        var count = made - min(max(skip, 0), made)
        if gap.needsMerge, count > 0 {
            let continuation = workspace.output.base
            if !gap.isOpen { workspace.concealment.begin(end: workspace.queue.tail(0)) }
            workspace.concealment.generate(
                into: continuation, count: sampleRate * Merge.milliseconds / 1000)
            let left = Merge.join(
                continuation: continuation, fresh: start, count: count, searchable: Int(clamping: gap.shift),
                sampleRate: sampleRate)
            start += left
            count -= left
        }
        gap = Gap()
        var remaining = stretch
        while count > 0 {
            let length = min(count, workspace.frame)
            pauses.add(start, count: length, milliseconds: Double(length) * 1000 / Double(sampleRate))
            remaining -= append(start, count: length, stretch: remaining, &call)
            start += length
            count -= length
        }
    }

    /// Appends one frame, shortened or lengthened towards `stretch` if its sound allows.
    /// - Returns: samples taken out; negative when some were put in.
    private func append(_ frame: UnsafePointer<Float>, count: Int, stretch: Int, _ call: inout Call) -> Int {
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
            call.note(.accelerate)
        } else {
            statistics.deceleratedMs += milliseconds
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
