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
            ledger.silent += Int64(piece - taken)
            ledger.pulled += Int64(piece)
            filled += piece
            pulled += Int64(piece)
        }
        // Nothing had to be made: the block came from the rest of what was made before.
        if call.reason == .waiting, isPlaying { call.note(lastSound) }
        account(call)
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

    private func account(_ call: Call) {
        let duration = Double(call.wanted) * 1000 / Double(sampleRate)
        if isPlaying { statistics.playedMs += duration }
        statistics.byReason.add(duration, to: call.reason)
        log.add(call.reason, at: Double(call.start) * 1000 / Double(sampleRate), durationMs: duration)
    }

    private func outcome(of call: Call) -> PullOutcome {
        var level = Int64(workspace.queue.pending)
        if isPlaying { level += workspace.packets.contiguousSamples(from: nextPosition) }
        let media = endOfContent - Int64(workspace.queue.pending)
        return PullOutcome(
            reason: call.reason, targetMs: target.aboveFloor, levelMs: Double(level) * 1000 / Double(sampleRate),
            mediaMilliseconds: isPlaying ? axis.map { mediaOrigin + $0.milliseconds(media) } : nil, samples: call.wanted)
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
        ledger.begin(at: nextPosition)
    }

    /// Milliseconds by which later packets may be needed earlier in their blocks than one that begins a block.
    func reserve(for packet: StoredPacket, _ axis: StreamAxis, _ call: Call) -> Double {
        max(0, axis.milliseconds(Int64(call.wanted) - call.divisor(packet: packet.duration)))
    }

    /// After the player stood still, drops what it missed instead of playing it all late.
    private func catchUp(_ stall: Double, _ call: inout Call) {
        guard let axis, let start = clock.earliest else { return }
        let target = absoluteTarget
        while let head = workspace.packets.first {
            let delay = start + endOfQueue(axis) - axis.mediaMilliseconds(max(head.position, nextPosition))
            let before = start + endOfQueue(axis) - axis.mediaMilliseconds(nextPosition) - stall
            guard delay - max(target, min(before, target + GapPolicy.room)) >= axis.milliseconds(head.duration)
            else { break }
            workspace.packets.removeFirst()
            statistics.overflow += 1
            call.note(.discardOverflow)
        }
        if let head = workspace.packets.first, head.position > nextPosition {
            ledger.shifted -= head.position - endOfContent
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
            guard head.kind != .redundant else { continue }
            overdue.noteLate(arrival: head.arrival)
            statistics.late += 1
            call.note(.discardLate)
        }
        let before = workspace.queue.pending
        guard let head = workspace.packets.first else {
            conceal(piece - before, isEmpty: true, &call)
            return workspace.queue.pending > before
        }
        if !gap.isOpen, head.position <= nextPosition {
            play(head, skip: nextPosition - head.position, stretch: gap.needsMerge ? 0 : excess(of: head, axis, call), &call)
        } else {
            bridge(to: head, missing: piece - before, axis, &call)
        }
        return true
    }

    /// Decodes the first packet and sends it on, without `skip` samples of its start.
    /// - Returns: false when it did not decode.
    @discardableResult
    func play(_ head: StoredPacket, skip: Int64, stretch: Int, _ call: inout Call) -> Bool {
        let payload = workspace.packets.payload(of: head)
        if head.kind == .comfortNoise {
            playNoise(head, payload, skip: skip, &call)
            return true
        }
        let made = try? decoder.decode(payload, into: workspace.decoded.buffer)
        workspace.packets.removeFirst()
        guard let made, made == head.duration else {
            // A packet that does not decode is lost like any other.
            statistics.malformed += 1
            return false
        }
        nextPosition = head.end
        lastSequence = head.sequence
        lastDuration = head.duration
        lastWasSilence = head.isSilence
        statistics.decoded += 1
        overdue.notePlayed()
        if head.kind == .redundant { statistics.redundancyUsed += 1 }
        lastSound = head.isSilence ? .comfortNoise : head.kind == .redundant ? .redundancy : .normal
        call.note(lastSound)
        deliver(made, skip: Int(max(0, skip)), stretch: stretch, &call)
        return true
    }

    private func playNoise(
        _ head: StoredPacket, _ payload: UnsafeRawBufferPointer, skip: Int64, _ call: inout Call
    ) {
        if let spectrum = NoiseSpectrum(payload: payload) { noise.adopt(spectrum) }
        workspace.packets.removeFirst()
        nextPosition = head.end
        lastSequence = head.sequence
        lastWasSilence = true
        overdue.notePlayed()
        lastSound = .comfortNoise
        call.note(.comfortNoise)
        let made = min(Int(head.duration), workspace.decoded.count)
        noise.generate(into: workspace.decoded.base, count: made, level: pauses.noise)
        gap.needsMerge = true
        deliver(made, skip: Int(max(0, skip)), stretch: 0, &call)
    }
}
