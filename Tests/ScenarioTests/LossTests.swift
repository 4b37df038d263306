import Codecs
import Simulation
import Testing

@Suite("A call that loses 5 % of its packets, two in a row") struct LossTests {
    @Test(
        "stays below 150 ms and conceals little more than was lost",
        arguments: [Codec.opus, .pcmu], [1, 2] as [UInt64])
    func staysUsable(codec: Codec, seed: UInt64) throws {
        var plan = try quietPlan(codec, seconds: 30, network: "delay=20,loss=5,burst=2", seed: seed)
        plan.encoder.inbandFEC = true
        let call = try OfflineCall(plan)
        try call.run()
        for direction in [call.report.aToB, call.report.bToA] {
            let lost = try #require(direction.lostRatio)
            #expect((0.02...0.1).contains(lost), "seed \(seed)")
            let delay = try #require(direction.measuredMouthToEarMilliseconds)
            #expect(delay < 150, "seed \(seed)")
            #expect(try #require(direction.mouthToEarMilliseconds) < 150, "seed \(seed)")
            #expect(try #require(direction.concealedRatio) < lost + 0.01, "seed \(seed)")
            #expect(direction.playoutGaps == 0)
        }
        // In-band FEC covers the second packet of each burst, once the other side's reports have told of the loss.
        if codec == .opus {
            #expect(call.sides.allSatisfy { ($0.statistics.fecUsed ?? 0) > 5 }, "seed \(seed)")
        }
    }
}
