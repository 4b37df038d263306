import Codecs
import Realtime
import Simulation
import Testing

/// The ledger is a sum of parts; the audio tells the truth.
@Suite("The delay ledger's sum is the delay in the audio") struct DelayLedgerTests {
    /// Both directions' ledger may be off by `tolerance` milliseconds, both taken as medians from `from` seconds on.
    private func expectAgreement(
        _ plan: LoopbackPlan, within tolerance: Double, from: Double = 8,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let call = try OfflineCall(plan)
        var ledgers: [[Double]] = [[], []]
        try call.run { now in
            guard now >= HostTime(milliseconds: from * 1000), now.nanoseconds % 100_000_000 == 0 else { return }
            for speaker in 0..<2 {
                if let sum = call.sides[1 - speaker].statistics.mouthToEarMilliseconds { ledgers[speaker].append(sum) }
            }
        }
        for speaker in 0..<2 {
            try #require(ledgers[speaker].count > 50, sourceLocation: sourceLocation)
            let ledger = ledgers[speaker].sorted()[ledgers[speaker].count / 2]
            let audio = try #require(call.delay(of: speaker, from: from), sourceLocation: sourceLocation)
            #expect(
                abs(ledger - audio) <= tolerance, "ledger \(ledger), audio \(audio), of \(["A", "B"][speaker])",
                sourceLocation: sourceLocation)
        }
    }

    @Test(
        "within 2 ms on a clean network, whatever the device's rate, with and without voice processing",
        arguments: [8000, 16_000, 44_100, 48_000], [false, true])
    func clean(deviceRate: Int, voiceProcessing: Bool) throws {
        var plan = try quietPlan(seconds: 17)
        plan.deviceRate = deviceRate
        plan.voiceProcessing = voiceProcessing
        try expectAgreement(plan, within: 2)
    }

    @Test(
        "within 2 ms for every codec and several periods of the device",
        arguments: Codec.allCases, [5.0, 10, 20])
    func codecs(codec: Codec, period: Double) throws {
        var plan = try quietPlan(codec, seconds: 17)
        plan.periodMilliseconds = period
        try expectAgreement(plan, within: 2)
    }

    @Test("within 10 ms while packets are delayed by chance", arguments: [1, 2, 3, 4, 5] as [UInt64])
    func jitter(seed: UInt64) throws {
        try expectAgreement(quietPlan(seconds: 40, network: "delay=25,jitter=30", seed: seed), within: 10)
    }

    @Test("within 10 ms from 10 s after a stall of 120 ms on")
    func afterSpike() throws {
        var plan = try quietPlan(seconds: 30)
        plan.network.trace = try oneSpike(at: 9, milliseconds: 120, of: 30)
        try expectAgreement(plan, within: 10, from: 19)
    }
}
