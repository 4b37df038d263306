import Codecs
import JitterBuffer
import Testing

@Test(
    "Scenario: A jump of the sender's timestamps, either way, starts the stream anew without concealment",
    arguments: [
        Int64(3_000_000), -3_000_000, 1 << 40, -40_000,
    ])
func scenarioTimestampJump(by jump: Int64) throws {
    var stream = StreamSimulation(codec: .pcmu, seconds: 20, signal: Signal.tone(500))
    stream.rewrite = { packet in
        var packet = packet
        if packet.sentAt > 10_000 { packet.timestamp += jump }
        return packet
    }
    let result = try stream.run()
    #expect(result.statistics.resets == 1)
    #expect(result.count(0) { $0 == .reset(.timestampJump) } == 1)
    #expect(result.statistics.concealShortMs <= 60 && result.statistics.concealLongMs == 0)
    #expect(abs(result.delay(15, 20) - result.delay(5, 10)) < 12)
    #expect(abs(result.mediaLag(15, 20) - result.mediaLag(5, 10)) < 20)
}
