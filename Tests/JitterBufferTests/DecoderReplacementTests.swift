import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite struct DecoderReplacementTests {
    @Test("The application's reset and a new decoder keep what was learnt of the line")
    func replaceDecoder() throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        var samples = [Float](repeating: 0, count: 960)
        var random = TestRandom(seed: 7)
        var delays: [Double] = []
        for (codec, base) in [(Codec.pcmu, 0), (.opus, 500), (.l16, 1000)] {
            let encoder = try makeEncoder(codec)
            if base > 0 { buffer.replaceDecoder(try makeDecoder(codec), clockRate: codec.rtpClockRate()) }
            #expect(buffer.sampleRate == codec.sampleRate)
            var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
            let frame = (0..<encoder.frameLength).map { Signal.tone(500)(Double($0) / Double(encoder.sampleRate)) }
            for index in base..<(base + 500) {
                let bytes = try frame.withUnsafeBufferPointer { frame in
                    try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
                }
                payload.withUnsafeBytes { payload in
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: Int64(index), extendedTimestamp: Int64(index * encoder.frameLength),
                            arrival: HostTime(milliseconds: Double(index * 20) + random.unit() * 2),
                            payload: UnsafeRawBufferPointer(rebasing: payload[0..<bytes])))
                }
                for half in 0..<2 {
                    _ = samples.withUnsafeMutableBufferPointer {
                        buffer.pull(
                            into: UnsafeMutableBufferPointer(rebasing: $0[0..<(encoder.frameLength / 2)]),
                            now: HostTime(milliseconds: Double(index * 20 + half * 10) + 2))
                    }
                }
            }
            delays.append(try #require(buffer.currentDelayMilliseconds))
        }
        #expect(buffer.statistics.resets == 2)
        #expect(buffer.statistics.concealments <= 2)
        #expect(delays.allSatisfy { $0 < 30 })
    }
}
