import JitterBuffer
import Metrics
import RTP

extension MediaStream {
    /// How what we hear sounds by the E-model; every figure `nil` before there was audio or for a codec without constants.
    var quality: QualityFigures {
        let buffer = receivePath.bufferStatistics
        guard let concealed = buffer.concealedRatio, buffer.decoded > 0, let codec = receivePath.format.codec.eModelConstants
        else {
            return QualityFigures()
        }
        // What is left of the losses after in-band FEC and copies is what the listener gets concealed.
        let model = EModel(
            codec: codec, lossRatio: concealed, meanLossRun: meanConcealedPackets(buffer) ?? 1)
        var figures = QualityFigures()
        figures.mosLQ = EModel.mos(model.rating(oneWayMilliseconds: 0))
        if let delay = mouthToEarMilliseconds {
            let rating = model.rating(oneWayMilliseconds: delay)
            figures.rFactor = rating
            figures.mosCQ = EModel.mos(rating)
        }
        return figures
    }

    private func meanConcealedPackets(_ buffer: JitterBufferStatistics) -> Double? {
        guard buffer.concealments > 0 else { return nil }
        let milliseconds = (buffer.concealShortMs + buffer.concealLongMs) / Double(buffer.concealments)
        return milliseconds / receivedPacketMilliseconds
    }

    /// Length of what the other side sends a packet: it chooses it, whatever we send.
    private var receivedPacketMilliseconds: Double {
        receivePath.buffer.packetMilliseconds ?? Double(configuration.encoder.frameMilliseconds)
    }

    /// What RTCP XR says of what we hear (RFC 3611): which packets came, a summary, and the VoIP metrics.
    func makeExtendedReportBlocks() -> [ExtendedReportBlock] {
        guard let report = receivePath.makeExtendedReport() else { return [] }
        return report.blocks + [.voipMetrics(metrics(ssrc: report.ssrc))]
    }

    private func metrics(ssrc: UInt32) -> VoIPMetrics {
        var metrics = VoIPMetrics(ssrc: ssrc)
        let losses = receivePath.receiver.lossPattern
        let clusters = losses.burstsAndGaps
        let packet = receivedPacketMilliseconds
        metrics.lossRate = losses.lostRatio ?? 0
        metrics.discardRate = losses.discardedRatio ?? 0
        metrics.burstDensity = clusters.burstDensity
        metrics.gapDensity = clusters.gapDensity
        metrics.burstMilliseconds = clusters.burstPackets * packet
        metrics.gapMilliseconds = clusters.gapPackets * packet
        metrics.roundTripMilliseconds = control.roundTripMilliseconds
        if let send = sendDelayMilliseconds, let receive = receiveDelayMilliseconds {
            metrics.endSystemMilliseconds = send + receive
        }
        let quality = quality
        metrics.rFactor = quality.rFactor
        metrics.mosLQ = quality.mosLQ
        metrics.mosCQ = quality.mosCQ
        metrics.concealment = .enhanced
        metrics.jitterBufferKind = .adaptive
        metrics.jitterBufferNominal = receivePath.lastOutcome?.targetMs ?? 0
        metrics.jitterBufferMaximum = receivePath.buffer.configuration.maximumDelayMs
        metrics.jitterBufferAbsoluteMaximum = receivePath.buffer.configuration.maximumDelayMs
        return metrics
    }
}

/// The E-model's verdict on one direction.
struct QualityFigures {
    /// Transmission rating, 0...100; `nil` while the delay from mouth to ear is not known.
    var rFactor: Double?
    /// Listening quality, 1...5: what was heard, whenever.
    var mosLQ: Double?
    /// Conversational quality: with the delay.
    var mosCQ: Double?
}
