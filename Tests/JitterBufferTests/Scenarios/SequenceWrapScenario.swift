import Codecs
import JitterBuffer
import Testing

@Test("Scenario: a day's worth of sequence and timestamp wraps is not heard") func scenarioSequenceWrap() throws {
    // 24 hours of 20 ms are 4,320,000 packets, 65 wraps of the sequence number and one of an 8 kHz clock in 6 days: the
    // numbers come extended, so the day is entered at its end, and its last minute crosses a wrap of both.
    var stream = StreamSimulation(codec: .pcmu, seconds: 60, signal: Signal.tone(500))
    stream.rewrite = { packet in
        var packet = packet
        packet.sequence += 4_320_000 - 1500
        packet.timestamp += 691_200_000
        return packet
    }
    let result = try stream.run()
    #expect(result.statistics.resets == 0 && result.statistics.concealments == 0)
    #expect(result.gapMilliseconds(1, 59) == 0)
}
