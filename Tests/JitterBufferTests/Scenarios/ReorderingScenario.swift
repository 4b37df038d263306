import Codecs
import JitterBuffer
import Testing

@Test("Scenario: one packet in twenty comes after its ten successors; the buffer waits for them once it knows")
func scenarioReordering() throws {
    var stream = StreamSimulation(codec: .opus, frameMilliseconds: 10, seconds: 60, signal: Signal.voice)
    stream.pullJitter = 1
    stream.network = { packet, random in [(packet.index % 20 == 19 ? 105 : 0) + random.unit()] }
    let result = try stream.run()
    #expect(result.statistics.reordered > 40)
    #expect(result.isBalanced && result.statistics.resets == 0)
    // 5 % late are worth the delay.
    #expect((95...150).contains(result.delay(40, 60)))
    #expect(result.concealed(40) <= 4)
}
