import Codecs
import JitterBuffer
import Testing

@Test(
    "Scenario: a stream that is late for good, by a stalled sender or a new route, is heard again within two seconds",
    arguments: [300.0, 1400, 5000], [Codec.opus, .pcmu])
func scenarioDelayJump(by jump: Double, codec: Codec) throws {
    var stream = StreamSimulation(codec: codec, seconds: 30, signal: Signal.voice)
    stream.network = { packet, random in [random.unit() + (packet.sentAt > 10_000 ? jump : 0)] }
    let result = try stream.run()
    #expect(result.isBalanced)
    #expect(result.statistics.resets <= 1)
    let heard = 10 + jump / 1000 + 2
    #expect(result.concealed(heard) == 0)
    let (before, after) = (result.delay(5, 10), result.delay(heard + 5, 30))
    #expect(abs(after - before) < 30, "before \(before) ms, after \(after) ms")
    // It is the same stream still: its media time goes on, later by the jump.
    let growth = result.mediaLag(heard + 5, 30) - result.mediaLag(5, 10)
    #expect(abs(growth - jump) < 40, "media time \(growth) ms later")
}
