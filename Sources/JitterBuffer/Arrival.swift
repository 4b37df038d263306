import Codecs
import Realtime

/// How the buffer takes packets: what they say of the network, and whether they can still be played.
extension JitterBuffer {
    /// Stores a packet. Any bytes and any numbers are accepted; what cannot be played is dropped and counted.
    @discardableResult
    public func insert(_ packet: BufferedPacket) -> InsertOutcome {
        if packet.isCopy { return insertCopy(packet) }
        statistics.inserted += 1
        guard let duration = duration(of: packet) else {
            statistics.malformed += 1
            return .malformed
        }
        let epoch = hostEpoch ?? packet.arrival
        hostEpoch = epoch
        var outcome = InsertOutcome.accepted
        // What begins anew is taken to have been as long on the way as the first packet was.
        var origin = packet.arrival.milliseconds(since: epoch)
        if axis != nil, let jump = jump(of: packet, duration: duration) {
            // But a stream that is late for good is the same stream still: its media time goes on.
            if jump == .delayJump, let position = axis?.position(of: packet.extendedTimestamp) {
                origin = mediaOrigin + Double(position) * 1000 / Double(sampleRate)
            }
            reset(jump)
            // What was learnt last is how late the stream is, which is no spread of its packets.
            if jump == .delayJump { history = ArrivalHistory() }
            outcome = .acceptedAfterReset(jump)
        }
        if axis == nil {
            begin(with: packet, hostEpoch: epoch)
            mediaOrigin = origin
        }
        guard let axis, let position = axis.position(of: packet.extendedTimestamp) else { return .malformed }

        let stored = StoredPacket(
            sequence: packet.extendedSequence, position: position, duration: duration, slot: 0, payloadLength: 0,
            kind: packet.isComfortNoise ? .comfortNoise : .audio,
            carriesFEC: !packet.isComfortNoise && decoder.carriesFEC(packet.payload),
            isSilence: packet.isComfortNoise || packet.payload.count <= 2,
            arrival: axis.hostMilliseconds(packet.arrival))
        if sequences.hasSeen(stored.sequence) {
            statistics.duplicate += 1
            return .duplicate
        }
        learn(from: stored, axis: axis)
        if isPlaying, stored.end <= nextPosition {
            statistics.late += 1
            overdue.noteLate(arrival: stored.arrival)
            return .late
        }
        return store(stored, payload: packet.payload, outcome: outcome)
    }

    /// A copy says nothing of the stream; it is only a second chance for its content.
    private func insertCopy(_ packet: BufferedPacket) -> InsertOutcome {
        guard let axis, let newest, let duration = duration(of: packet),
            let position = axis.position(of: packet.extendedTimestamp), newest.duration > 0
        else { return .unneeded }
        // Copies bear no number of their own: what they repeat lies as many packets back as their time stamp says.
        let carrier = packet.extendedSequence
        guard carrier == newest.sequence, position < newest.position else { return .unneeded }
        let back = (newest.position - position + newest.duration / 2) / newest.duration
        let stored = StoredPacket(
            sequence: carrier - back, position: position, duration: duration, slot: 0, payloadLength: 0,
            kind: .redundant, carriesFEC: decoder.carriesFEC(packet.payload),
            isSilence: packet.payload.count <= 2, arrival: axis.hostMilliseconds(packet.arrival))
        learn(from: stored, axis: axis)
        guard !isPlaying || stored.end > nextPosition, !workspace.packets.isFull else { return .unneeded }
        guard case .stored = workspace.packets.insert(stored, payload: packet.payload) else { return .unneeded }
        return .accepted
    }

    /// Samples of the packet, nil when it cannot be played.
    private func duration(of packet: BufferedPacket) -> Int64? {
        // Beyond these no sum of two numbers overflows, and no real stream reaches them.
        let limit: Int64 = 1 << 60
        guard packet.payload.count <= workspace.packets.slotBytes, packet.extendedSequence.magnitude < limit,
            packet.extendedTimestamp.magnitude < limit
        else { return nil }
        if packet.isComfortNoise {
            // It has no end of its own: until the next packet, or for as long as those before it.
            guard NoiseSpectrum(payload: packet.payload) != nil else { return nil }
            return lastDuration > 0 ? lastDuration : Int64(workspace.frame)
        }
        guard let duration = decoder.duration(of: packet.payload), duration > 0, duration <= decoder.maximumFrames
        else { return nil }
        return Int64(duration)
    }

    private func begin(with packet: BufferedPacket, hostEpoch: HostTime) {
        // A new stream comes over the same line: its first packet counts as one of the usual delay.
        let usual = history.mean ?? 0
        if history.events > 0 { history.forgetFloor() }
        axis = StreamAxis(
            clockRate: clockRate, sampleRate: sampleRate, hostEpoch: hostEpoch, timestamp: packet.extendedTimestamp,
            arrival: packet.arrival, delay: usual)
    }

    /// Why the packet cannot belong to the stream so far, if it cannot.
    private func jump(of packet: BufferedPacket, duration: Int64) -> ResetReason? {
        guard let axis, let newest else { return nil }
        let ahead = packet.extendedSequence - newest.sequence
        if ahead > 0, overdue.isOverdue(at: axis.hostMilliseconds(packet.arrival)) { return .delayJump }
        // RFC 3550 appendix A.1: MAX_DROPOUT.
        if abs(ahead) > 3000 { return .sequenceJump }
        guard let position = axis.position(of: packet.extendedTimestamp) else { return .timestampJump }
        guard ahead > 0 else { return nil }
        if position < newest.position { return .timestampJump }
        // A pause takes its time; a jump ahead arrives before it could have been spoken.
        let longest = ahead * 2 * max(duration, newest.duration)
        guard position - newest.position > longest, let floor = history.floor else { return nil }
        let delay = axis.hostMilliseconds(packet.arrival) - axis.mediaMilliseconds(position)
        return delay < floor - 250 ? .timestampJump : nil
    }

    /// Notes when contents first became usable: the packet's own, and the one before it that it can stand for in part.
    /// What never arrives otherwise makes no event, since no delay would help it.
    private func learn(from packet: StoredPacket, axis: StreamAxis) {
        let delay = packet.arrival - axis.mediaMilliseconds(packet.position)
        let isCopy = packet.kind == .redundant
        let before = sequences.coverage(of: packet.sequence)
        if isCopy {
            if before == .whole { return }
            sequences.noteCopy(of: packet.sequence)
        } else {
            history.noteTravel(delay)
            drift.add(delay: delay, at: packet.arrival)
            if let estimate = drift.partsPerMillion { history.correct(driftPPM: estimate) }
            sequences.note(packet.sequence)
        }
        switch before {
        case .none: history.add(delay: delay, weight: 1, at: packet.arrival)
        // Most of a content's worth was there already.
        case .coarse: history.add(delay: delay, weight: 0.3, at: packet.arrival)
        case .whole: history.add(delay: delay, weight: 0, at: packet.arrival)
        }
        // Of a packet that never comes its successor still tells much: a coarse copy, or where its sound led to.
        let help = packet.carriesFEC ? 0.7 : decoder.concealsItself || packet.isSilence ? 0 : 0.5
        if help > 0, sequences.coverage(of: packet.sequence - 1) == .none {
            sequences.noteCoarseCopy(of: packet.sequence - 1)
            history.add(delay: delay + axis.milliseconds(packet.duration), weight: help, at: packet.arrival)
        }
        guard !isCopy else { return }
        target.update(&history, lossRatio: sequences.lossRatio, at: packet.arrival)
        if newest.map({ packet.sequence > $0.sequence }) ?? true { newest = packet }
    }

    private func store(
        _ packet: StoredPacket, payload: UnsafeRawBufferPointer, outcome: InsertOutcome
    ) -> InsertOutcome {
        var outcome = outcome
        if workspace.packets.isFull {
            workspace.packets.removeFirst()
            statistics.overflow += 1
            outcome = .acceptedWithOverflow
        }
        switch workspace.packets.insert(packet, payload: payload) {
        case .stored(let reordered):
            if reordered { statistics.reordered += 1 }
            return outcome
        case .duplicate, .full:
            statistics.duplicate += 1
            return .duplicate
        }
    }
}
