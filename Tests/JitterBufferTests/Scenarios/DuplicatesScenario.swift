import Codecs
import JitterBuffer
import Testing

@Test("Scenario: Duplicates are counted and heard once")
func scenarioDuplicates() throws {
    var stream = StreamSimulation(codec: .l16, seconds: 10, signal: Signal.tone(500))
    stream.network = { _, random in [random.unit(), 1 + random.unit(), 90] }
    let result = try stream.run()
    // The copies still on their way at the end do not arrive.
    #expect((980...1000).contains(result.statistics.duplicate))
    #expect(result.statistics.late == 0)
    #expect(result.gapMilliseconds(1, 9.9) == 0)
}
