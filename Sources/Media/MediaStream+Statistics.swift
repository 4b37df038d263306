import JitterBuffer
import Metrics
import RTP

extension MediaStream {
    /// Everything this side knows of the stream, in the terms of docs/commands.md. Unknown stays `nil`.
    /// - Parameter isOver: levels are those of the voices over the whole stream, instead of now, and no gap waits for its cause.
    public func statistics(isOver: Bool) -> CallStatistics {
        var figures = CallStatistics()
        fillDelay(&figures)
        fillNetwork(&figures)
        fillJitterBuffer(&figures, isOver: isOver)
        fillQuality(&figures)
        // What is left of a call that is over is how loud its voices were.
        figures.levelSentDecibels = (isOver ? sendPath.activeLevelDBov : nil) ?? sendPath.levelDBov
        figures.levelHeardDecibels = (isOver ? receivePath.activeLevelDBov : nil) ?? receivePath.levelDBov
        return figures
    }

    private func fillDelay(_ figures: inout CallStatistics) {
        figures.ledger = ledger
        figures.mouthToEarMilliseconds = mouthToEarMilliseconds
        if let send = sendDelayMilliseconds, let receive = receiveDelayMilliseconds {
            figures.localDelayMilliseconds = send + receive
        }
    }

    private func fillNetwork(_ figures: inout CallStatistics) {
        let reception = receivePath.receiver.statistics
        figures.roundTripMilliseconds = control.roundTripMilliseconds
        figures.packetsSent = sendPath.packetsSent
        figures.packetsReceived = reception.received
        figures.packetsDuplicate = reception.duplicates + receivePath.bufferStatistics.duplicate
        figures.packetsReordered = reception.reordered
        fillDrops(&figures, reception.drops)
        // Their packets were heard all the same.
        if reception.badExtensions > 0 { figures.drops["bad_header_extension"] = reception.badExtensions }
        // Frames of ours: no packet of the other side's.
        if sendPath.encoderErrors > 0 { figures.drops["encoder_failed"] = sendPath.encoderErrors }
        var local = SideFigures()
        if reception.received > 0 {
            figures.jitterMilliseconds = reception.jitterMilliseconds
            figures.packetsLost = reception.lost
            figures.lostRatio = reception.lossPercent.map { $0 / 100 }
            local.packetsLost = reception.lost
            local.lostRatio = reception.lossPercent.map { $0 / 100 }
            local.jitterMilliseconds = reception.jitterMilliseconds
        }
        local.roundTripMilliseconds = control.roundTripMilliseconds
        local.sendDelayMilliseconds = sendDelayMilliseconds
        local.receiveDelayMilliseconds = receiveDelayMilliseconds
        if let machine {
            local.machineStops = machine.stops
            local.machineLongestMilliseconds = machine.longestMilliseconds
            local.machineStoppedMilliseconds = control.stoppedMilliseconds
        }
        figures.local = local
        figures.remote = control.remoteFigures
    }

    private func fillDrops(_ figures: inout CallStatistics, _ drops: RTPDropCounts) {
        let buffer = receivePath.bufferStatistics
        let all: [(String, Int)] =
            RTPDropReason.allCases.map { ($0.rawValue, drops[$0]) }
            + [("undecodable", buffer.malformed), ("buffer_overflow", buffer.overflow), ("bad_rtcp", control.malformed)]
        figures.drops = Dictionary(uniqueKeysWithValues: all.filter { $0.1 > 0 })
        figures.packetsDiscarded = all.reduce(0) { $0 + $1.1 }
    }

    private func fillQuality(_ figures: inout CallStatistics) {
        let quality = quality
        figures.rFactor = quality.rFactor
        figures.mosLQ = quality.mosLQ
        figures.mosCQ = quality.mosCQ
        figures.local?.rFactor = quality.rFactor
        figures.local?.mosLQ = quality.mosLQ
        figures.local?.mosCQ = quality.mosCQ
        figures.local?.lateRatio = figures.lateRatio
    }

    private func fillJitterBuffer(_ figures: inout CallStatistics, isOver: Bool) {
        let buffer = receivePath.bufferStatistics
        guard buffer.inserted > 0 else { return }
        figures.packetsLate = buffer.late
        let expected = receivePath.receiver.statistics.expected
        if expected > 0 { figures.lateRatio = min(1, Double(buffer.late) / Double(expected)) }
        figures.concealedRatio = buffer.concealedRatio
        figures.concealedShort = buffer.concealments - buffer.longConcealments
        figures.concealedLong = buffer.longConcealments
        figures.concealedByReason = ["conceal_short": buffer.concealShortMs, "conceal_long": buffer.concealLongMs]
        figures.gapsByCause = receivePath.gaps.figures(isOver: isOver)
        figures.acceleratedMilliseconds = buffer.acceleratedMs
        figures.deceleratedMilliseconds = buffer.deceleratedMs
        figures.fecUsed = buffer.fecUsed
        figures.redundancyUsed = configuration.redundancyPayloadType == nil ? nil : buffer.redundancyUsed
        figures.bufferTargetMilliseconds = receivePath.lastOutcome?.targetMs
        figures.bufferLevelMilliseconds = receivePath.lastOutcome?.levelMs
        figures.bufferTargetReason = receivePath.buffer.targetReason.rawValue
        figures.driftPPM = receivePath.buffer.driftPPM
    }
}
