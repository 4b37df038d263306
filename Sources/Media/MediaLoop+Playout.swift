import Realtime

/// Towards the loudspeaker: every call is pulled, and what is heard of them goes to the play-out ring, when the device has need of it.
extension MediaLoop {
    func fillPlayout(now: HostTime) {
        let timing = device.playoutTiming.latest()
        if timing.stream.isValid {
            if playoutStart == nil { playoutStart = now }
            planRefill(after: timing.stream, now: now)
            let missing = level.observe(
                frames: timing.stream.frames, missing: timing.missing,
                elapsedMilliseconds: lastStep.map { now.milliseconds(since: $0) } ?? 0,
                isStopFelt: isStopFelt(now: now))
            if missing > 0 {
                playoutGaps += 1
                playoutMissing += missing
            }
        }
        if let end = catchUpEnd(next: timing.stream, now: now) {
            refill = min(refill ?? end, end)
            return
        }
        let channels = device.playoutChannels
        while device.playoutRing.filled() < level.target * channels {
            watch.measure(.hear) { pullBlock(now: now) }
            if timing.stream.isValid { observePlayout(timing.stream, now: now) }
            let count = mixed.count * channels
            let written = (headset == nil ? mixed : placed).withUnsafeBufferPointer {
                device.playoutRing.write($0.baseAddress!, count: count)
            }
            samplesGiven += Int64(written / channels)
            guard written == count else { return }
        }
    }

    /// Whether the machine stood still just now. The device's thread may have found that, and the ring empty, since this turn began.
    private func isStopFelt(now: HostTime) -> Bool {
        device.machine()?.lastStop.map { now.milliseconds(since: $0.end) <= 1000 * MachineStop.explainedSeconds } ?? false
    }

    /// After a stop of the machine, who sends to us from the same one has stood still as well: a packet that is missed then comes at
    /// once. Until when it is waited for, as long as the device has enough; nil: not.
    private func catchUpEnd(next stream: StreamTiming, now: HostTime) -> HostTime? {
        guard let end = excused?.end.advanced(byMilliseconds: Self.catchUp), now < end, stream.isValid,
            stream.hostTime.milliseconds(since: now) >= Self.leastBridge,
            seats.contains(where: { $0.call.stream.isShort(of: mixed.count * $0.call.sampleRate / device.sampleRate) })
        else { return nil }
        return end
    }

    /// How long such a sender takes, and what the device must have so long, in milliseconds: it waits for us only while it has 6.
    static let catchUp = 2.0
    private static let leastBridge = 8.0

    /// The device takes its next block when the sample after the last one has the device's own delay before it.
    private func planRefill(after stream: StreamTiming, now: HostTime) {
        let latency = device.latency()
        let next = latency.playbackDevice.map {
            stream.hostTime.advanced(byMilliseconds: -$0 - (latency.playbackConversion ?? 0))
        }
        refill = PlayoutSchedule.refill(
            next: next ?? now, block: Double(stream.frames) * 1000 / Double(device.sampleRate),
            margin: level.marginMilliseconds, now: now)
    }

    func pullBlock(now: HostTime) {
        tellChanges(now: now)
        for i in mixed.indices { mixed[i] = 0 }
        var isPulled = false
        for (party, seat) in seats.enumerated() {
            let outcome = callBlock.withUnsafeMutableBufferPointer { block in
                defer { speakers?.take(block, of: party) }
                return seat.pull(into: block, now: now)
            }
            callBlock.withUnsafeBufferPointer {
                Mixer.add($0, to: &mixed)
                bridge?.add($0, of: party)
                headset?.set($0, of: party)
            }
            if let outcome {
                isPulled = true
                for tap in taps { tap.add(outcome, at: now) }
            }
        }
        // A call that is over gives silence of its own: a replay that pulled again would go on with the voice.
        if isPulled { for tap in taps { tap.add(pull: now, samples: mixed.count) } }
        if seats.count > 1 { Mixer.limit(&mixed) }
        if let headset {
            headset.render(into: &placed)
            Mixer.limit(&placed)
        }
        for tap in taps { tap.add(heard: mixed) }
    }

    private func observePlayout(_ timing: StreamTiming, now: HostTime) {
        let heard = timing.hostTime(of: samplesGiven, sampleRate: device.sampleRate)
        deviceDelay.observePlayout(waitMilliseconds: heard.milliseconds(since: now), unit: device.latency())
    }
}
