import Glibc
import Simulation
import Testing

@Suite("After one stall of 120 ms") struct SpikeTests {
    @Test("the delay of speech is what it was before within 10 s", arguments: [1, 2, 3] as [UInt64])
    func speech(seed: UInt64) throws {
        var plan = try quietPlan(seconds: 36, seed: seed)
        plan.network.trace = try oneSpike(at: 17, milliseconds: 120, of: 36)
        let call = try OfflineCall(plan)
        try call.run()
        for speaker in 0..<2 {
            let before = try #require(call.delay(of: speaker, from: 8, to: 17), "seed \(seed)")
            let after = try #require(call.delay(of: speaker, from: 27), "seed \(seed)")
            #expect(abs(after - before) <= 5, "before \(before), after \(after), seed \(seed)")
        }
        // The stall itself was heard as an interruption, once in each direction.
        #expect(call.sides.allSatisfy { ($0.statistics.concealedRatio ?? 0) < 0.02 })
    }

    @Test("the delay of a tone without any pause is no more than before within 10 s", arguments: [220.0, 440, 1000])
    func tone(frequency: Double) throws {
        // From second 1 to second 19 and silent then: both edges tell the delay.
        var plan = try quietPlan(.l16, seconds: 21)
        plan.speech = { _, rate in
            (0..<rate * 21).map { index in
                let time = Double(index) / Double(rate)
                return (1..<19).contains(time) ? Float(0.1 * sin(2 * .pi * frequency * time)) : 0
            }
        }
        plan.network.trace = try oneSpike(at: 8, milliseconds: 120, of: 21)
        let call = try OfflineCall(plan)
        try call.run()
        for side in call.sides {
            let loud = side.heard.indices.filter { abs(side.heard[$0]) > 0.03 }
            let first = Double(try #require(loud.first)) / Double(side.deviceRate)
            let last = Double(try #require(loud.last)) / Double(side.deviceRate)
            #expect((last - 19) * 1000 <= (first - 1) * 1000 + 5, "from \(first) s to \(last) s")
            // Of the stall as much became delay as the target rose by it, and that was taken back in the midst of the tone.
            #expect((side.statistics.acceleratedMilliseconds ?? 0) > 20)
        }
    }
}
