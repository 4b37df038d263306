import Codecs
import JitterBuffer
import Testing

@Test("Scenario: A restarted sender (new numbers on both counts) is followed")
func scenarioSequenceRestart() throws {
    var stream = StreamSimulation(codec: .opus, seconds: 20, signal: Signal.tone(500))
    stream.rewrite = { packet in
        var packet = packet
        if packet.sentAt > 10_000 {
            packet.sequence += 20_000
            packet.timestamp -= 1_234_567_890
        }
        return packet
    }
    let result = try stream.run()
    #expect(result.count(0) { $0 == .reset(.sequenceJump) } == 1)
    #expect(result.gapMilliseconds(10.3, 19.9) == 0)
    #expect(abs(result.mediaLag(15, 20) - result.mediaLag(5, 10)) < 20)
}
