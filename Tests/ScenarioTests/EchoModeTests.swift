import Codecs
import Simulation
import Testing

@Suite("A side that sends back what it hears") struct EchoModeTests {
    @Test(
        "lets the caller hear its own voice, delayed, and stays silent itself",
        arguments: [Codec.l16, .opus])
    func hearsItself(codec: Codec) throws {
        var plan = try quietPlan(codec, seconds: 16)
        plan.adjust = { side, configuration in configuration.echoes = side == 1 }
        let call = try OfflineCall(plan)
        try call.run()
        let caller = call.sides[0]
        let delay = try #require(
            DelayMeter.milliseconds(spoken: caller.spoken, heard: caller.heard, sampleRate: caller.deviceRate))
        #expect((40...200).contains(delay), "\(delay) ms")
        #expect(call.sides[1].heard.allSatisfy { $0 == 0 })
        #expect(caller.statistics.packetsLost == 0 && caller.statistics.concealedRatio == 0)
    }

    @Test("does so over a network that loses and delays, without growing the delay")
    func badNetwork() throws {
        var plan = try quietPlan(.l16, seconds: 40, network: "delay=20,jitter=30,loss=2", seed: 3)
        plan.adjust = { side, configuration in configuration.echoes = side == 1 }
        let call = try OfflineCall(plan)
        try call.run()
        let caller = call.sides[0]
        let rate = caller.deviceRate
        func delay(from: Int, to: Int) -> Double? {
            DelayMeter.milliseconds(
                spoken: Array(caller.spoken[from * rate..<to * rate]), heard: Array(caller.heard[from * rate..<to * rate]),
                sampleRate: rate, maximumMilliseconds: 900)
        }
        let early = try #require(delay(from: 8, to: 20), "seed 3")
        let late = try #require(delay(from: 24, to: 39), "seed 3")
        #expect(late < early + 40, "early \(early), late \(late), seed 3")
        #expect(late < 350, "seed 3")
    }
}
