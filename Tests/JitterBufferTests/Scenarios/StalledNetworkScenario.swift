import Codecs
import JitterBuffer
import Testing

@Test(
    "Scenario: packets all at once after a stall are played; five seconds later the delay is back at its target",
    arguments: [150.0, 400, 1000], [Codec.opus, .pcmu])
func scenarioStalledNetwork(stall: Double, codec: Codec) throws {
    var stream = StreamSimulation(codec: codec, seconds: 40, signal: Signal.voice)
    stream.pullJitter = 1
    stream.network = { packet, random in
        let time = packet.sentAt - 20_000
        return [time >= 0 && time < stall ? stall - time : random.unit()]
    }
    let result = try stream.run()
    #expect(result.isBalanced)
    let before = result.delay(15, 20)
    let after = result.delay(20 + stall / 1000 + 5, 40)
    #expect(abs(after - before) < 12, "before \(before) ms, after \(after) ms")
    #expect(result.concealed(20 + stall / 1000 + 0.2) == 0)
    // The stall was heard as one gap, not as many.
    #expect(result.statistics.concealments <= 2)
}
