import Codecs
import Realtime

/// How the buffer makes sound: one pull, from top to bottom.
extension JitterBuffer {
    /// Fills the whole of `samples` with the sound due at `now`. Any length works, 5...20 ms is sensible.
    public func pull(into samples: UnsafeMutableBufferPointer<Float>, now: HostTime) -> PullOutcome {
        let epoch = hostEpoch ?? now
        hostEpoch = epoch
        var call = Call(wanted: samples.count, reason: .waiting)
        if let reset = pendingReset {
            call.note(.reset(reset))
            pendingReset = nil
        }
        let time = now.milliseconds(since: epoch)
        let rate = Double(sampleRate)
        let stall = clock.add(time: time, pulledMilliseconds: Double(pulled) * 1000 / rate)
        call.start = pulled
        if stall > 0, isPlaying { catchUp(stall, &call) }

        guard let output = samples.baseAddress else { return outcome(of: call) }
        var filled = 0
        while filled < samples.count {
            // In pieces, so that a huge pull needs no huge queue.
            let piece = min(samples.count - filled, workspace.frame)
            if !isPlaying { startIfDue(call) }
            while isPlaying, workspace.queue.pending < piece, produce(piece, &call) {}
            let taken = workspace.queue.take(into: output + filled, count: piece)
            (output + (filled + taken)).update(repeating: 0, count: piece - taken)
            filled += piece
            pulled += Int64(piece)
        }
        if isPlaying { statistics.playedMs += Double(filled) * 1000 / rate }
        // Nothing had to be made: the block came from the rest of what was made before.
        if call.reason == .waiting, isPlaying { call.note(lastSound) }
        return outcome(of: call)
    }

    /// One pull in progress.
    struct Call {
        let wanted: Int
        /// Samples pulled before it.
        var start: Int64 = 0
        var reason: PlayoutReason

        init(wanted: Int, reason: PlayoutReason) {
            self.wanted = wanted
            self.reason = reason
        }

        /// Spacing of the places in a block at which packets begin, in samples.
        func divisor(packet: Int64) -> Int64 {
            var (a, b) = (max(Int64(wanted), 1), max(packet, 1))
            while b > 0 { (a, b) = (b, a % b) }
            return a
        }

        mutating func note(_ new: PlayoutReason) {
            if new.notability > reason.notability { reason = new }
        }
    }

    private func outcome(of call: Call) -> PullOutcome {
        var level = Int64(workspace.queue.pending)
        if isPlaying { level += workspace.packets.contiguousSamples(from: nextPosition) }
        let media = nextPosition + gap.concealed - Int64(workspace.queue.pending)
        return PullOutcome(
            reason: call.reason, targetMs: target.aboveFloor, levelMs: Double(level) * 1000 / Double(sampleRate),
            mediaMilliseconds: isPlaying ? axis?.milliseconds(media) : nil, samples: call.wanted)
    }

    // MARK: Start and stall

    private func startIfDue(_ call: Call) {
        guard let axis, let first = workspace.packets.first, let start = clock.earliest, let floor = history.floor
        else { return }
        let known = history.events >= 50
        let wait = known ? target.aboveFloor : configuration.latency.startDelayMilliseconds
        let delay = start + axis.milliseconds(call.start) - axis.mediaMilliseconds(first.position)
        guard delay >= floor + wait + reserve(for: first, axis, call) else { return }
        isPlaying = true
        nextPosition = first.position
        lastSequence = first.sequence &- 1
        lastDuration = first.duration
        gap = Gap()
        gap.needsMerge = true
    }

    /// Milliseconds by which later packets may be needed earlier in their blocks than one that begins a block.
    private func reserve(for packet: StoredPacket, _ axis: StreamAxis, _ call: Call) -> Double {
        max(0, axis.milliseconds(Int64(call.wanted) - call.divisor(packet: packet.duration)))
    }

    /// After the player stood still, drops what it missed instead of playing it all late.
    private func catchUp(_ stall: Double, _ call: inout Call) {
        guard let axis, let start = clock.earliest else { return }
        let target = (history.floor ?? 0) + target.aboveFloor
        while let head = workspace.packets.first {
            let delay = start + endOfQueue(axis) - axis.mediaMilliseconds(max(head.position, nextPosition))
            let before = start + endOfQueue(axis) - axis.mediaMilliseconds(nextPosition) - stall
            guard delay - max(target, min(before, target + GapPolicy.shiftRoom)) >= axis.milliseconds(head.duration)
            else { break }
            workspace.packets.removeFirst()
            statistics.overflow += 1
            call.note(.discardOverflow)
        }
        if let head = workspace.packets.first, head.position > nextPosition {
            nextPosition = head.position
            lastSequence = head.sequence &- 1
            gap = Gap()
            gap.needsMerge = true
        }
    }

    // MARK: Production

    /// Puts more sound into the queue.
    /// - Returns: false when nothing was or could be made.
    private func produce(_ piece: Int, _ call: inout Call) -> Bool {
        guard let axis else { return false }
        while let head = workspace.packets.first, head.end <= nextPosition {
            workspace.packets.removeFirst()
            statistics.late += 1
            call.note(.discardLate)
        }
        let before = workspace.queue.pending
        let missing = piece - before
        guard let head = workspace.packets.first else {
            conceal(missing, isEmpty: true, &call)
            return workspace.queue.pending > before
        }
        if !gap.isOpen, head.position <= nextPosition {
            play(head, skip: nextPosition - head.position, axis, &call)
            return true
        }
        bridge(to: head, missing: missing, axis, &call)
        return true
    }

    /// The next content lies ahead, or comes after sound was invented in its place.
    private func bridge(to head: StoredPacket, missing wanted: Int, _ axis: StreamAxis, _ call: inout Call) {
        let isPause = head.sequence == lastSequence &+ 1 && head.position > nextPosition
        let copy = isPause ? 0 : copyLength(of: head)
        let content = head.position - copy
        let duration = axis.milliseconds(head.end - content)
        let target = (history.floor ?? 0) + target.aboveFloor
        let start = clock.earliest ?? 0
        let position = nextPosition + gap.concealed
        let policy = GapPolicy(
            delay: start + endOfQueue(axis) - axis.mediaMilliseconds(position), target: target,
            concealed: axis.milliseconds(gap.concealed), emptied: axis.milliseconds(gap.emptied))
        let isLong = policy.concealed > 500
        let step =
            isPause || isLong
            ? policy.stepInPause(
                delayNow: start + axis.milliseconds(call.start) - axis.mediaMilliseconds(content)
                    - reserve(for: head, axis, call), duration: duration)
            : policy.step(missing: axis.milliseconds(content - nextPosition), duration: duration)
        switch step {
        case .conceal(let milliseconds):
            if isPause { lastWasSilence = true }
            let samples = max(1, Int((milliseconds * Double(sampleRate) / 1000).rounded(.up)))
            conceal(isPause || isLong ? min(samples, wanted) : samples, isEmpty: false, &call)
        case .discard:
            discard(head)
            statistics.late += 1
            call.note(.discardLate)
        case .resume(let milliseconds):
            let skip = Int64(milliseconds * Double(sampleRate) / 1000)
            let lag = position - content
            if lag != 0 || skip != 0 { gap.needsMerge = true }
            gap.shift = max(0, lag - skip)
            if copy > 0, skip < copy {
                playCopy(in: head, length: copy, skip: skip, axis, &call)
            } else {
                play(head, skip: skip - copy, axis, &call)
            }
        }
    }

    /// Samples before `head` that it holds a copy of, as far as they are still wanted; 0 when it holds none.
    private func copyLength(of head: StoredPacket) -> Int64 {
        guard head.carriesFEC else { return 0 }
        return max(0, min(lastDuration, head.position - nextPosition))
    }

    private func playCopy(
        in head: StoredPacket, length: Int64, skip: Int64, _ axis: StreamAxis, _ call: inout Call
    ) {
        let payload = workspace.packets.payload(of: head)
        let made = try? decoder.decodeFEC(payload, frames: Int(length), into: workspace.decoded.buffer)
        nextPosition = head.position
        guard let made else {
            // A copy that does not decode is a lost packet like any other.
            conceal(Int(length), isEmpty: false, &call)
            gap.concealed = 0
            gap.emptied = 0
            return
        }
        statistics.fecUsed += 1
        call.note(.fec)
        lastSound = .fec
        lastSequence = head.sequence &- 1
        deliver(made, skip: Int(skip), stretch: 0, &call)
    }

    private func play(_ head: StoredPacket, skip: Int64, _ axis: StreamAxis, _ call: inout Call) {
        let payload = workspace.packets.payload(of: head)
        let made = try? decoder.decode(payload, into: workspace.decoded.buffer)
        let stretch = gap.isOpen || gap.needsMerge ? 0 : excess(of: head, axis, call)
        workspace.packets.removeFirst()
        nextPosition = head.end
        lastSequence = head.sequence
        lastDuration = head.duration
        lastWasSilence = head.isSilence
        guard let made else {
            statistics.malformed += 1
            conceal(Int(head.duration), isEmpty: false, &call)
            gap.concealed = 0
            gap.emptied = 0
            return
        }
        statistics.decoded += 1
        if head.isCopy { statistics.redundancyUsed += 1 }
        lastSound = head.isSilence ? .comfortNoise : head.isCopy ? .redundancy : .normal
        call.note(lastSound)
        deliver(made, skip: Int(max(0, skip)), stretch: stretch, &call)
    }

    private func discard(_ head: StoredPacket) {
        _ = try? decoder.decode(workspace.packets.payload(of: head), into: workspace.decoded.buffer)
        workspace.packets.removeFirst()
        // What was invented in its place stays invented: the gap is the shorter by it.
        gap.concealed = max(0, gap.concealed - (head.end - nextPosition))
        gap.emptied = min(gap.emptied, gap.concealed)
        nextPosition = head.end
        lastSequence = head.sequence
        lastDuration = head.duration
        gap.needsMerge = true
    }
}
