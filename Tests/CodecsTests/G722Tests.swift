import CSpanDSP
import Codecs
import Glibc
import Realtime
import Testing

@Suite("G.722") struct G722Tests {
    private func heard(_ speech: [Float], milliseconds: Int = 20) throws -> (encoder: any AudioEncoder, output: [Float]) {
        let encoder = try makeEncoder(.g722, settings: EncoderSettings(frameMilliseconds: milliseconds))
        let decoder = try makeDecoder(.g722)
        return (encoder, try encoder.packets(of: speech).flatMap { try decoder.samples(of: $0) })
    }

    @Test("20 ms are 160 bytes, and speech is heard as it was said, at every packet length", arguments: [10, 20, 30, 40, 60])
    func accuracy(milliseconds: Int) throws {
        let speech = speechLike(seconds: 3, sampleRate: 16_000)
        let (encoder, output) = try heard(speech, milliseconds: milliseconds)
        #expect(encoder.maximumPayloadBytes == 8 * milliseconds)
        #expect(output.count == speech.count)
        let ratio = signalToNoise(speech[3_200..<44_800], output[(3_200 + encoder.lookaheadSamples)...])
        #expect(ratio > 15, "\(ratio) dB")
    }

    @Test("the decoded signal trails the original by exactly the stated look-ahead")
    func lookahead() throws {
        let speech = speechLike(seconds: 2, sampleRate: 16_000)
        let (encoder, output) = try heard(speech)
        let scores = (0...80).map { correlation(speech[3_200..<28_800], output[(3_200 + $0)...]) }
        #expect(scores.indices.max { scores[$0] < scores[$1] } == encoder.lookaheadSamples)
    }

    @Test("what lies above telephone bandwidth is heard: it is 16 kHz sound on an 8 kHz RTP clock")
    func bandwidth() throws {
        let tone = (0..<16_000).map { 0.3 * Float(sin(2 * .pi * 6_000 * Double($0) / 16_000)) }
        let (_, output) = try heard(tone)
        let energy = output[1_600...].reduce(0) { $0 + $1 * $1 } / Float(output.count - 1_600)
        #expect(abs(10 * log10f(energy / 0.045)) < 1, "\(10 * log10f(energy / 0.045)) dB")
    }

    @Test("full scale is not turned over")
    func overload() throws {
        let loud = (0..<16_000).map { Float(sin(2 * .pi * 440 * Double($0) / 16_000)) * 1.5 }
        let (encoder, output) = try heard(loud)
        let shifted = output[(1_600 + encoder.lookaheadSamples)...]
        #expect(correlation(loud[1_600..<14_000], shifted) > 0.97)
        // The same by libspandsp alone, which lets what is beyond full scale wrap around.
        let wrapped = try spanDSP(encoder.packets(of: loud)).map { Float($0) / 32_768 }
        #expect(correlation(loud[1_600..<14_000], wrapped[(1_600 + encoder.lookaheadSamples)...]) < 0.8)
        #expect(output.allSatisfy { abs($0) <= 1 })
    }

    /// What libspandsp decodes, joining of the bands and all.
    private func spanDSP(_ packets: [[UInt8]]) throws -> [Int16] {
        var library = cspandsp_library()
        try #require(cspandsp_load(&library) == nil)
        var state = cspandsp_g722_decoder()
        _ = library.decode_init(&state, 64_000, 0)
        return packets.flatMap { packet in
            var samples = [Int16](repeating: 0, count: 2 * packet.count)
            let count = library.decode(&state, &samples, packet, Int32(packet.count))
            return samples[..<Int(count)]
        }
    }

    @Test("below full scale every sample is libspandsp's, bit by bit, for speech and for random bytes")
    func bitExact() throws {
        let seed: UInt64 = 722
        var random = SplitMix64(seed: seed)
        let spoken = try makeEncoder(.g722).packets(of: speechLike(seconds: 3, sampleRate: 16_000))
        let rubbish = (0..<200).map { _ in (0..<160).map { _ in UInt8.random(in: 0...255, using: &random) } }
        for (packets, leastCompared) in [(spoken, 1.0), (rubbish, 0.3)] {
            let decoder = try makeDecoder(.g722)
            let ours = try packets.flatMap { try decoder.samples(of: $0) }.map { Int($0 * 32_768) }
            let theirs = try spanDSP(packets)
            try #require(ours.count == theirs.count)
            let compared = ours.indices.filter { (-32_767...32_766).contains(ours[$0]) }
            #expect(Double(compared.count) >= leastCompared * Double(ours.count))
            #expect(compared.allSatisfy { ours[$0] == Int(theirs[$0]) }, "seed \(seed)")
        }
    }

    @Test("a decoder that was reset decodes like a new one")
    func reset() throws {
        let packets = try makeEncoder(.g722).packets(of: speechLike(seconds: 1, sampleRate: 16_000))
        let used = try makeDecoder(.g722)
        for packet in packets.reversed() { _ = try used.samples(of: packet) }
        used.reset()
        let fresh = try makeDecoder(.g722)
        for packet in packets { #expect(try used.samples(of: packet) == fresh.samples(of: packet)) }
    }

    @Test("a decoder that went astray goes back to where it was, bit by bit")
    func restored() throws {
        let packets = try makeEncoder(.g722).packets(of: speechLike(seconds: 1, sampleRate: 16_000))
        let steady = try makeDecoder(.g722)
        let interrupted = try makeDecoder(.g722)
        for (index, packet) in packets.enumerated() {
            if index % 7 == 6 {
                interrupted.keepState()
                let astray = try interrupted.samples(of: packets[(index + 20) % packets.count])
                interrupted.exchangeState()
                #expect(!astray.isEmpty)
            }
            #expect(try steady.samples(of: packet) == interrupted.samples(of: packet))
        }
        #expect(interrupted.concealed(frames: 160) == nil, "it has no concealment of its own")
    }
}
