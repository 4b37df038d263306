import Codecs
import JitterBuffer
import Realtime
import Testing

@Test(
    "Scenario: packets grow from 20 to 60 ms and shrink again in mid-call without a gap",
    arguments: [
        Codec.opus, .pcmu,
    ])
func scenarioFrameLength(codec: Codec) throws {
    let buffer = JitterBuffer(decoder: try makeDecoder(codec), clockRate: codec.rtpClockRate())
    let rate = codec.sampleRate
    var block = [Float](repeating: 0, count: rate / 100)
    var output: [Float] = []
    var sequence: Int64 = 0
    var spoken = 0
    var pulls = 0
    func pull(until milliseconds: Double) {
        while Double(pulls) * 10 + 1 < milliseconds {
            block.withUnsafeMutableBufferPointer {
                _ = buffer.pull(into: $0, now: HostTime(milliseconds: Double(pulls) * 10 + 1))
            }
            output += block
            pulls += 1
        }
    }
    for length in [20, 60, 20] {
        let encoder = try makeEncoder(codec, settings: EncoderSettings(frameMilliseconds: length))
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        for _ in 0..<(9000 / length) {
            let frame = (0..<encoder.frameLength).map { Signal.tone(500)(Double(spoken + $0) / Double(rate)) }
            let bytes = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            let timestamp = Int64(spoken)
            spoken += frame.count
            // A packet leaves when its last sample was spoken.
            let now = Double(spoken) * 1000 / Double(rate)
            pull(until: now)
            sequence += 1
            payload.withUnsafeBytes { payload in
                _ = buffer.insert(
                    BufferedPacket(
                        extendedSequence: sequence, extendedTimestamp: timestamp, arrival: HostTime(milliseconds: now),
                        payload: UnsafeRawBufferPointer(rebasing: payload[0..<bytes])))
            }
        }
    }
    var result = StreamSimulation.Result(rate: rate)
    result.output = output
    #expect(buffer.isBalanced && buffer.statistics.resets == 0)
    // The first longer packet comes 40 ms later than anything before it.
    #expect(buffer.statistics.concealments <= 2)
    #expect(result.gapMilliseconds(1, 8.9) == 0)
    #expect(result.gapMilliseconds(11, 26) == 0)
}
