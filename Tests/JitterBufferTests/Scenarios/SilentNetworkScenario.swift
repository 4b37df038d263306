import Codecs
import JitterBuffer
import Testing

@Test(
    "Scenario: after two minutes in which nothing came the call goes on within a second, as if nothing had been",
    arguments: [
        Codec.opus, .pcmu,
    ])
func scenarioSilentNetwork(codec: Codec) throws {
    var stream = StreamSimulation(codec: codec, seconds: 170, signal: Signal.tone(500))
    stream.network = { packet, random in (20_000..<140_000).contains(packet.sentAt) ? [] : [2 * random.unit()] }
    let result = try stream.run()
    #expect(result.isBalanced)
    #expect(result.concealed(141) == 0)
    #expect(result.gapMilliseconds(141, 169) == 0)
    #expect(abs(result.delay(150, 170) - result.delay(10, 20)) < 12)
    // The gap is one, and quiet.
    #expect(result.statistics.longConcealments == 1)
    let quiet = result.output[(30 * result.rate)..<(139 * result.rate)]
    #expect(try #require(quiet.map(abs).max()) < 0.02)
}
