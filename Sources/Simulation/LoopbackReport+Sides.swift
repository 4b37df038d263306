import Media
import Metrics
import Reporting

extension LoopbackReport {
    /// What a loopback call of `plan` found.
    /// - Parameters:
    ///   - a: the figures of side A, which heard B.
    ///   - b: the figures of side B, which heard A.
    public init(_ plan: LoopbackPlan, a: CallStatistics, b: CallStatistics) {
        self.init()
        aToB = b
        bToA = a
        aToB.ledger.takeSendHalf(of: a.ledger)
        bToA.ledger.takeSendHalf(of: b.ledger)
        durationSeconds = plan.seconds
        seed = plan.seed
        scenario = plan.scenario
        gaps = [a, b].reduce(0) { $0 + ($1.concealedLong ?? 0) + ($1.playoutGaps ?? 0) }
    }
}

extension OfflineCall {
    /// What the call found, the delay in the audio itself too.
    public var report: LoopbackReport {
        var report = LoopbackReport(plan, a: sides[0].statistics, b: sides[1].statistics)
        report.durationSeconds = seconds
        report.convergenceSeconds = sides.compactMap(\.convergedSeconds).max()
        report.aToB.measuredMouthToEarMilliseconds = measuredDelay(from: 0, to: 1)
        report.bToA.measuredMouthToEarMilliseconds = measuredDelay(from: 1, to: 0)
        return report
    }

    private func measuredDelay(from speaker: Int, to listener: Int) -> Double? {
        // From mouth to loudspeaker, through all rate conversions: both lie on the call's time line at one rate.
        DelayMeter.milliseconds(
            spoken: sides[speaker].spoken, heard: sides[listener].heard, sampleRate: sides[0].deviceRate)
    }
}

extension DelayLedgerFigures {
    /// A test knows both ends, so each direction can show the stages its own voice went through.
    fileprivate mutating func takeSendHalf(of talker: DelayLedgerFigures) {
        capture = talker.capture
        voiceProcessing = talker.voiceProcessing
        ring = talker.ring
        framer = talker.framer
        encoder = talker.encoder
        let needed = [capture, framer, network, jitterBuffer, playback]
        let others = [voiceProcessing, conversion, ring, encoder, decoder, playoutRing]
        sum = needed.contains { $0 == nil } ? nil : (needed + others).reduce(0) { $0 + ($1 ?? 0) }
    }
}
