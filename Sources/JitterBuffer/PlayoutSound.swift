import Codecs

/// What happens to samples on their way into the queue: invented, joined, handed on.
extension JitterBuffer {
    /// Gaps up to here count as short, in milliseconds.
    private static let shortGap = 60.0
    /// From here on the background's noise is heard through what fades, in milliseconds.
    private static let noiseAfter = 60.0

    // MARK: Concealment

    /// Invents sound in place of what is missing.
    /// - Parameter isEmpty: whether the buffer holds nothing at all.
    func conceal(_ wanted: Int, isEmpty: Bool, _ call: inout Call) {
        let isSilence = openGap(isEmpty: isEmpty)
        let output = workspace.decoded.base
        let limit = workspace.decoded.count
        // libopus conceals speech in steps of 10 ms; what is too much becomes delay, or is skipped afterwards.
        let step = max(1, sampleRate / 100)
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
                if milliseconds(gap.invented) >= Self.noiseAfter { addNoise(to: output, count: count) }
            }
        }
        finishInventing(count, isSilence: isSilence, isEmpty: isEmpty, &call)
    }

    /// The rest of a gap whose next packet is here already, drawn between both of its ends; only for codecs without a
    /// concealment of their own.
    /// - Returns: false when it does not apply.
    func interpolate(to head: StoredPacket, content: Int64, _ call: inout Call) -> Bool {
        let missing = Int(clamping: content - endOfContent)
        guard !decoder.concealsItself, !lastWasSilence, head.kind != .comfortNoise, missing > 0,
            missing <= min(workspace.frame, workspace.decoded.count), head.position == content,
            let ahead = try? decoder.decode(workspace.packets.payload(of: head), into: workspace.scrap.buffer),
            workspace.interpolation.canBridge(missing, ahead: ahead)
        else { return false }
        _ = openGap(isEmpty: false)
        workspace.interpolation.bridge(
            missing, from: workspace.concealment, to: workspace.scrap.base, ahead: ahead,
            into: workspace.decoded.base)
        finishInventing(missing, isSilence: false, isEmpty: false, &call)
        // It leads into the packet's first sample.
        gap.needsMerge = false
        return true
    }

    /// - Returns: whether what is missing is silence.
    private func openGap(isEmpty: Bool) -> Bool {
        let isSilence = lastWasSilence || (isEmpty && pauses.isSettled)
        if !gap.isOpen {
            decoder.keepState()
            workspace.concealment.begin(end: workspace.queue.tail(0))
        }
        if !isSilence, !gap.isCounted {
            gap.isCounted = true
            statistics.concealments += 1
        }
        if isEmpty, !isSilence, gap.emptied == 0 { statistics.underruns += 1 }
        return isSilence
    }

    private func finishInventing(_ count: Int, isSilence: Bool, isEmpty: Bool, _ call: inout Call) {
        let elapsed = milliseconds(gap.invented)
        workspace.queue.append(workspace.decoded.base, count: count)
        gap.concealed += Int64(count)
        gap.invented += Int64(count)
        gap.isSilence = isSilence
        // In the sender's silence nothing is late; in a pause between its words something may be.
        if isEmpty, !lastWasSilence { gap.emptied += Int64(count) }
        let duration = milliseconds(Int64(count))
        if isSilence {
            statistics.comfortNoiseMs += duration
            lastSound = .comfortNoise
        } else if elapsed < Self.shortGap {
            statistics.concealShortMs += duration
            lastSound = .concealShort
        } else {
            statistics.concealLongMs += duration
            if !gap.isLong { statistics.longConcealments += 1 }
            gap.isLong = true
            lastSound = .concealLong
        }
        ledger.add(count, as: lastSound)
        call.note(lastSound)
    }

    /// What the concealment would have gone on with, for the cross-fade into what follows.
    /// - Parameter decoder: asked first where it conceals; nil once it has gone on to what follows.
    func makeContinuation(by decoder: (any AudioDecoder)?) {
        let count = workspace.continuation.count
        let output = workspace.continuation.base
        gap.continuation = count
        if gap.isSilence, decoder?.concealsItself != true {
            return noise.generate(into: output, count: count, level: pauses.noise)
        }
        if let decoder, gap.isSilence || !workspace.concealment.isSteadyTone,
            decoder.conceal(frames: count, into: workspace.continuation.buffer)
        {
            return
        }
        if !gap.isOpen { workspace.concealment.begin(end: workspace.queue.tail(0)) }
        workspace.concealment.generate(into: output, count: count)
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

    private func milliseconds(_ samples: Int64) -> Double { Double(samples) * 1000 / Double(sampleRate) }

    // MARK: Delivery

    /// Sends decoded samples to the queue: merged with what was invented before them, then stretched as wanted.
    /// - Parameters:
    ///   - made: samples in `workspace.decoded`.
    ///   - skip: those of them that are too late.
    ///   - stretch: samples to take out (positive) or put in (negative).
    func deliver(_ made: Int, skip: Int, stretch: Int, _ call: inout Call) {
        var start = workspace.decoded.base + min(max(skip, 0), made)
        var count = made - min(max(skip, 0), made)
        ledger.add(count, as: lastSound)
        if gap.needsMerge, count > 0 {
            if gap.continuation == 0 { makeContinuation(by: nil) }
            let left = Merge.join(
                continuation: workspace.continuation.base, fresh: start, count: count,
                searchable: Int(clamping: gap.shift), sampleRate: sampleRate)
            start += left
            count -= left
            ledger.removed += Int64(left)
            statistics.acceleratedMs += milliseconds(Int64(left))
        }
        gap = Gap()
        var remaining = stretch
        while count > 0 {
            let length = min(count, workspace.frame)
            pauses.add(start, count: length, milliseconds: milliseconds(Int64(length)))
            if pauses.isSettled, !lastWasSilence { noise.learn(start, count: length) }
            remaining -= append(start, count: length, stretch: remaining, &call)
            start += length
            count -= length
        }
    }
}
