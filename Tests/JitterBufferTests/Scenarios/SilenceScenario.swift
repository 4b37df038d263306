import Codecs
import JitterBuffer
import Testing

@Test(
    "Scenario: Pauses of the sender (continuous sequence, jumping timestamps) are silence, not loss",
    arguments: [
        Codec.l16, .opus,
    ])
func scenarioSenderPauses(codec: Codec) throws {
    var stream = StreamSimulation(codec: codec, seconds: 20, signal: Signal.tone(500))
    var sent: Int64 = 0
    stream.rewrite = { packet in
        // One second of talk, one of silence, of which nothing is sent.
        guard packet.sentAt.truncatingRemainder(dividingBy: 2000) < 1000 else { return nil }
        var packet = packet
        sent += 1
        packet.sequence = sent
        return packet
    }
    let result = try stream.run()
    #expect(result.statistics.resets == 0)
    // The first milliseconds of a pause may sound like a gap: nothing told of it.
    #expect(result.statistics.concealments <= 10)
    let talk = result.output[(result.rate * 165 / 10)..<(result.rate * 168 / 10)]
    #expect(talk.reduce(0) { $0 + $1 * $1 } / Float(talk.count) > 0.03)
    #expect(result.delay(16.3, 16.9) < 35)
}

@Test("Scenario: Opus's own discontinuous transmission is comfort noise, not concealment")
func scenarioOpusDTX() throws {
    var stream = StreamSimulation(codec: .opus, seconds: 20)
    stream.signal = { $0 < 5 || $0 > 15 ? Signal.voice($0) : 0 }
    stream.settings.dtx = true
    let result = try stream.run()
    #expect(result.concealed(0) == 0)
    #expect(result.statistics.resets == 0)
}
