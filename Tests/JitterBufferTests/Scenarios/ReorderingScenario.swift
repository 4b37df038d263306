import Codecs
import JitterBuffer
import Testing

@Test("Scenario: one packet in fifty comes after its ten successors; the buffer waits for them once it knows")
func scenarioReordering() throws {
    var stream = StreamSimulation(codec: .opus, seconds: 60, signal: Signal.voice)
    stream.pullJitter = 1
    stream.network = { packet, random in [(packet.index % 50 == 49 ? 205 : 0) + random.unit()] }
    let result = try stream.run()
    #expect(result.statistics.reordered > 40)
    #expect(result.isBalanced && result.statistics.resets == 0)
    // 2 % late are worth the delay.
    #expect((150...260).contains(result.delay(40, 60)))
    #expect(result.concealed(40) <= 4)
}
