import Codecs
import JitterBuffer
import Testing

@Test("Scenario: the sender stops for five seconds and resumes with its next sequence number: silence, no loss")
func scenarioStopAndResume() throws {
    var stream = StreamSimulation(codec: .pcmu, seconds: 30, signal: Signal.tone(500))
    var sent: Int64 = 0
    stream.rewrite = { packet in
        guard !(10_000..<15_000).contains(packet.sentAt) else { return nil }
        var packet = packet
        packet.sequence = sent
        sent += 1
        return packet
    }
    let result = try stream.run()
    #expect(result.isBalanced && result.statistics.resets == 0)
    #expect(result.gapMilliseconds(15.2, 29.9) == 0)
    #expect(abs(result.delay(20, 30) - result.delay(5, 10)) < 12)
    // What follows the last packet may be loss, until the next one tells otherwise.
    #expect(result.statistics.longConcealments <= 1)
}
