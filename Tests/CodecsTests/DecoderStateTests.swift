import Codecs
import Testing

@Suite struct DecoderStateTests {
    private func packets(_ count: Int) throws -> [[UInt8]] {
        let encoder = try makeEncoder(
            .opus, settings: EncoderSettings(bitrate: 36_000, inbandFEC: true, expectedLossPercent: 10))
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        let speech = speechLike(seconds: Double(count) / 50, sampleRate: encoder.sampleRate)
        return try (0..<count).map { index in
            let frame = Array(speech[index * encoder.frameLength..<(index + 1) * encoder.frameLength])
            let bytes = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            return Array(payload[0..<bytes])
        }
    }

    private func decode(_ packet: [UInt8], by decoder: any AudioDecoder) throws -> [Float] {
        var samples = [Float](repeating: 0, count: decoder.maximumFrames)
        let count = try packet.withUnsafeBytes { packet in
            try samples.withUnsafeMutableBufferPointer { try decoder.decode(packet, into: $0) }
        }
        return Array(samples[0..<count])
    }

    @Test(
        "A decoder that concealed and took it back goes on bit by bit like one that lost nothing",
        arguments: [
            8_000, 12_000, 16_000, 24_000, 48_000,
        ])
    func restored(rate: Int) throws {
        let packets = try packets(40)
        let steady = try makeDecoder(.opus, sampleRate: rate)
        let interrupted = try makeDecoder(.opus, sampleRate: rate)
        var invented = [Float](repeating: 0, count: rate / 50)
        for (index, packet) in packets.enumerated() {
            if index % 7 == 6 {
                interrupted.keepState()
                for _ in 0..<3 {
                    #expect(invented.withUnsafeMutableBufferPointer { interrupted.conceal(frames: $0.count, into: $0) })
                }
                interrupted.exchangeState()
            }
            let expected = try decode(packet, by: steady)
            #expect(try decode(packet, by: interrupted) == expected, "packet \(index)")
            #expect(expected.count == rate / 50)
        }
    }

    @Test("Exchanging twice changes nothing: both states stay whole")
    func exchanged() throws {
        let packets = try packets(20)
        let first = try makeDecoder(.opus)
        let both = try makeDecoder(.opus)
        both.keepState()
        for packet in packets {
            // Every packet into both states.
            _ = try decode(packet, by: both)
            both.exchangeState()
            let second = try decode(packet, by: both)
            #expect(second == (try decode(packet, by: first)))
        }
    }
}
