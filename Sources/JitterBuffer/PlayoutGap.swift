import Codecs

/// How a gap is bridged: what is invented, what is given up, and where the stream resumes.
extension JitterBuffer {
    /// Longest stretch of missing content that the kept decoder conceals to catch up, in milliseconds: by then its own
    /// fade has made it quiet.
    private static let longestCatchUp = 100

    /// The next content lies ahead, or comes after sound was invented in its place.
    func bridge(to head: StoredPacket, missing wanted: Int, _ axis: StreamAxis, _ call: inout Call) {
        let isPause = head.sequence == lastSequence &+ 1 && head.position > nextPosition
        let copy = isPause ? 0 : copyLength(of: head)
        let content = max(head.position - copy, nextPosition)
        let duration = axis.milliseconds(head.end - content)
        let start = clock.earliest ?? 0
        let policy = GapPolicy(
            delay: start + endOfQueue(axis) - axis.mediaMilliseconds(endOfContent), target: absoluteTarget,
            concealed: axis.milliseconds(gap.concealed), emptied: axis.milliseconds(gap.emptied),
            hasDropped: gap.hasDropped,
            roomAfterLongMiss: GapPolicy.room(aboveTarget: history.standingQueue + target.aboveFloor))
        let isLong = policy.concealed > 500
        let step =
            isPause || isLong
            ? policy.stepInPause(
                delayNow: start + axis.milliseconds(call.start) - axis.mediaMilliseconds(content)
                    - reserve(for: head, axis, call), duration: duration, room: isPause ? GapPolicy.room : 0)
            : policy.step(missing: axis.milliseconds(content - nextPosition), duration: duration)
        switch step {
        case .conceal(let milliseconds):
            if isPause { lastWasSilence = true }
            let samples = max(1, Int((milliseconds * Double(sampleRate) / 1000).rounded(.up)))
            if isPause || isLong {
                conceal(min(samples, wanted), isEmpty: false, &call)
            } else if !interpolate(to: head, content: content, &call) {
                conceal(samples, isEmpty: false, &call)
            }
        case .discard:
            discard(head)
            call.note(.discardLate)
        case .resume(let milliseconds):
            resume(at: head, content: content, skip: Int64(milliseconds * Double(sampleRate) / 1000), &call)
        }
    }

    /// Samples before `head` that it holds a coarse copy of, as far as they are still wanted; 0 when it holds none.
    private func copyLength(of head: StoredPacket) -> Int64 {
        guard head.carriesFEC else { return 0 }
        return max(0, min(lastDuration, head.position - nextPosition))
    }

    /// Plays on from `content`, which the packet or the coarse copy in it holds, without `skip` samples of its start.
    private func resume(at head: StoredPacket, content: Int64, skip: Int64, _ call: inout Call) {
        let lag = endOfContent - content
        let isRestored = gap.isOpen && (lag != 0 || gap.hasDropped)
        gap.shift = max(0, lag - skip)
        if isRestored { restoreDecoder(upTo: content) }
        if lag != 0 { gap.needsMerge = true }
        let hasPlayed =
            content < head.position
            ? playCoarseCopy(in: head, content: content, skip: skip, &call)
            : play(head, skip: skip + content - head.position, stretch: 0, &call)
        if hasPlayed {
            ledger.shifted += lag - skip
        } else if isRestored {
            decoder.exchangeState()
        }
    }

    /// Takes the concealment's traces out of the decoder: it goes on as if the missing content had been concealed alone.
    private func restoreDecoder(upTo content: Int64) {
        makeContinuation(by: decoder)
        decoder.exchangeState()
        concealMissing(upTo: content)
        gap.needsMerge = true
    }

    private func concealMissing(upTo content: Int64) {
        var missing = min(Int(clamping: content - nextPosition), sampleRate * Self.longestCatchUp / 1000)
        while missing > 0 {
            let step = min(missing, workspace.frame, workspace.scrap.count)
            let buffer = UnsafeMutableBufferPointer(start: workspace.scrap.base, count: step)
            guard decoder.conceal(frames: step, into: buffer) else { return }
            missing -= step
        }
    }

    /// - Returns: false when it did not decode.
    private func playCoarseCopy(in head: StoredPacket, content: Int64, skip: Int64, _ call: inout Call) -> Bool {
        let length = Int(head.position - content)
        let payload = workspace.packets.payload(of: head)
        guard let made = try? decoder.decodeFEC(payload, frames: length, into: workspace.decoded.buffer), made == length
        else {
            // A copy that does not decode is none; the state was changed by the attempt at most as by concealment.
            workspace.packets.forgetCopyInFirst()
            return false
        }
        if skip >= made {
            // Late as a whole, but the packet it came in is not.
            return play(head, skip: skip - Int64(made), stretch: 0, &call)
        }
        nextPosition = head.position
        lastSequence = head.sequence &- 1
        statistics.fecUsed += 1
        overdue.notePlayed()
        lastSound = .fec
        call.note(.fec)
        deliver(made, skip: Int(skip), stretch: 0, &call)
        return true
    }

    /// The content comes too late as a whole: it is decoded for the decoder's sake alone.
    private func discard(_ head: StoredPacket) {
        if gap.isOpen { decoder.exchangeState() }
        if head.position > nextPosition { concealMissing(upTo: head.position) }
        if head.kind != .comfortNoise {
            _ = try? decoder.decode(workspace.packets.payload(of: head), into: workspace.scrap.buffer)
        }
        if gap.isOpen { decoder.exchangeState() }
        workspace.packets.removeFirst()
        overdue.noteLate(arrival: head.arrival)
        if head.kind != .redundant { statistics.late += 1 }
        // What was invented in its place stays invented: the gap is the shorter by it.
        let before = endOfContent
        gap.hasDropped = gap.isOpen
        gap.concealed = max(0, gap.concealed - (head.end - nextPosition))
        gap.emptied = min(gap.emptied, gap.concealed)
        nextPosition = head.end
        ledger.shifted -= endOfContent - before
        lastSequence = head.sequence
        lastDuration = head.duration
        gap.needsMerge = true
    }
}
