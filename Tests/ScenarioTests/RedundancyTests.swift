import Codecs
import Simulation
import Testing

@Suite("A call that loses a quarter of its packets in bursts") struct RedundancyTests {
    private func call(redundancy: UInt8?, seed: UInt64) throws -> OfflineCall {
        var plan = try quietPlan(.opus, seconds: 40, network: "delay=20,loss=25,burst=2", seed: seed)
        plan.redundancyPayloadType = redundancy
        plan.reportIntervalSeconds = 1
        let call = try OfflineCall(plan)
        try call.run()
        return call
    }

    @Test("is repaired by copies: less than half as much is concealed as without them", arguments: [1, 2] as [UInt64])
    func copies(seed: UInt64) throws {
        let bare = try call(redundancy: nil, seed: seed)
        let protected = try call(redundancy: 121, seed: seed)
        for side in 0..<2 {
            let without = bare.sides[side].statistics
            let with = protected.sides[side].statistics
            #expect(without.redundancyUsed == nil)
            #expect(with.redundancyUsed ?? 0 > 100, "seed \(seed)")
            let left = try #require(with.concealedRatio)
            let before = try #require(without.concealedRatio)
            #expect(left < before / 2, "\(left) of \(before), seed \(seed)")
            #expect(try #require(with.mosLQ) > (try #require(without.mosLQ)) + 0.2, "seed \(seed)")
        }
    }

    @Test("on a clean line costs nothing")
    func clean() throws {
        var plan = try quietPlan(.opus, seconds: 10)
        let bare = try OfflineCall(plan)
        try bare.run()
        plan.redundancyPayloadType = 121
        let ready = try OfflineCall(plan)
        try ready.run()
        for side in 0..<2 {
            #expect(ready.sides[side].statistics.redundancyUsed == 0)
            #expect(ready.sides[side].heard == bare.sides[side].heard)
        }
    }
}
