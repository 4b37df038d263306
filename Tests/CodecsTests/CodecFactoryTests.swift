import Codecs
import Realtime
import Testing

@Suite("Codec construction and misuse") struct CodecFactoryTests {
    @Test("each codec has its rate, clock, name and payload type of the RFCs")
    func identity() {
        let expected: [(codec: Codec, name: String, rate: Int, clock: Int, channels: Int, payloadType: UInt8, bitrate: Int?)] =
            [
                (.opus, "opus", 48_000, 48_000, 2, 111, nil), (.g722, "G722", 16_000, 8_000, 1, 9, 64_000),
                (.pcmu, "PCMU", 8_000, 8_000, 1, 0, 64_000), (.pcma, "PCMA", 8_000, 8_000, 1, 8, 64_000),
                (.l16, "L16", 16_000, 16_000, 1, 112, 256_000),
            ]
        for row in expected {
            #expect(Codec.allCases.contains(row.codec))
            #expect(row.codec.encodingName == row.name && row.codec.name == row.name.lowercased())
            #expect(row.codec.sampleRate == row.rate && row.codec.rtpClockRate() == row.clock)
            #expect(row.codec.channels == row.channels && row.codec.defaultPayloadType == row.payloadType)
            #expect(row.codec.fixedBitrate() == row.bitrate)
        }
        #expect(Codec.l16.rtpClockRate(sampleRate: 44_100) == 44_100)
        #expect(Codec.opus.rtpClockRate(sampleRate: 16_000) == 48_000)
        #expect(Codec.l16.fixedBitrate(sampleRate: 8_000) == 128_000)
    }

    @Test("no two codecs share a name or a payload type, nor does what is sent beside them", arguments: Codec.allCases)
    func distinct(codec: Codec) {
        let others = Codec.allCases.filter { $0 != codec }
        #expect(others.count == Codec.allCases.count - 1)
        #expect(!others.contains { $0.name == codec.name || $0.encodingName == codec.encodingName })
        let numbers =
            others.map(\.defaultPayloadType) + [
                codec.defaultPayloadType, codec.telephoneEventPayloadType, codec.comfortNoisePayloadType,
                Codec.redundancyPayloadType,
            ]
        #expect(Set(numbers).count == numbers.count, "\(numbers)")
        // 64...95 would be taken for RTCP on a shared port (RFC 5761 section 4).
        #expect(numbers.allSatisfy { $0 < 35 || $0 >= Codec.firstDynamicPayloadType && $0 < 128 })
        #expect(codec.hasStaticPayloadType == (codec.defaultPayloadType < Codec.firstDynamicPayloadType))
        #expect(Codec.withStaticPayloadType(codec.defaultPayloadType) == (codec.hasStaticPayloadType ? codec : nil))
    }

    @Test("each codec's description agrees with its encoder and decoder", arguments: Codec.allCases)
    func description(codec: Codec) throws {
        #expect(codec.runs(at: codec.sampleRate))
        #expect(codec.sendableFrameMilliseconds.contains(codec.defaultFrameMilliseconds))
        for milliseconds in codec.sendableFrameMilliseconds {
            let encoder = try makeEncoder(codec, settings: EncoderSettings(frameMilliseconds: milliseconds))
            #expect(encoder.sampleRate == codec.sampleRate)
            #expect(encoder.frameLength * 1000 == codec.sampleRate * milliseconds)
            #expect(Double(encoder.lookaheadSamples) * 1000 == codec.lookaheadMilliseconds * Double(codec.sampleRate))
            let decoder = try makeDecoder(codec)
            #expect(decoder.sampleRate == codec.sampleRate && decoder.channels == 1)
            let packet = try encoder.packets(of: [Float](repeating: 0.1, count: encoder.frameLength))[0]
            #expect(decoder.duration(of: packet) == encoder.frameLength)
            if let rate = codec.fixedBitrate() { #expect(packet.count * 8000 == rate * milliseconds) }
        }
    }

    @Test("a codec is found by its name in either case; an unknown name is answered with those there are")
    func names() throws {
        for codec in Codec.allCases {
            #expect(try Codec(named: codec.name.uppercased()) == codec)
            #expect(Codec(String(describing: codec)) == codec)
        }
        for wrong in ["g729", "", "opus ", "pcm", "G.722"] {
            #expect(throws: CodecError.unknownCodec(wrong)) { try Codec(named: wrong) }
            #expect(Codec(wrong) == nil)
        }
        #expect(CodecError.unknownCodec("g729").description == "no codec 'g729'; there are \(Codec.names)")
    }

    @Test("settings out of range are refused by a sentence that names them")
    func badSettings() {
        func refusal(_ kind: Codec, _ settings: EncoderSettings, rate: Int? = nil) -> String {
            do {
                _ = try makeEncoder(kind, settings: settings, sampleRate: rate)
                return "accepted"
            } catch {
                return error.description
            }
        }
        #expect(refusal(.opus, EncoderSettings(bitrate: 5_999)).contains("5999"))
        #expect(refusal(.opus, EncoderSettings(bitrate: .max)).contains("bit rate"))
        #expect(refusal(.opus, EncoderSettings(complexity: 11)).contains("complexity"))
        #expect(refusal(.opus, EncoderSettings(expectedLossPercent: -1)).contains("loss"))
        #expect(refusal(.opus, EncoderSettings(frameMilliseconds: 25)).contains("25 ms"))
        #expect(refusal(.pcmu, EncoderSettings(frameMilliseconds: 0)).contains("0 ms"))
        #expect(refusal(.pcmu, EncoderSettings(), rate: 16_000).contains("16000"))
        #expect(refusal(.l16, EncoderSettings(), rate: 11_025).contains("11025"))
        #expect(refusal(.l16, EncoderSettings(), rate: .min).contains("L16"))
        #expect(refusal(.g722, EncoderSettings(), rate: 8_000).contains("choose 16000"))
    }

    @Test("a frame of the wrong length and a buffer without room are told, not trapped", arguments: Codec.allCases)
    func misuse(kind: Codec) throws {
        let encoder = try makeEncoder(kind)
        let frame = [Float](repeating: 0.1, count: encoder.frameLength)
        var room = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        for wrong in [0, 1, encoder.frameLength - 1] {
            #expect(throws: CodecError.wrongFrameLength(expected: encoder.frameLength)) {
                try frame.withUnsafeBufferPointer { samples in
                    try room.withUnsafeMutableBytes {
                        try encoder.encode(UnsafeBufferPointer(rebasing: samples[..<wrong]), into: $0)
                    }
                }
            }
        }
        #expect(throws: CodecError.outputTooSmall(needed: encoder.maximumPayloadBytes)) {
            try frame.withUnsafeBufferPointer {
                try encoder.encode($0, into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
            }
        }
        let packet = try encoder.packets(of: frame)[0]
        let decoder = try makeDecoder(kind)
        var short = [Float](repeating: 0, count: encoder.frameLength - 1)
        #expect(throws: CodecError.outputTooSmall(needed: encoder.frameLength)) {
            try short.withUnsafeMutableBufferPointer { output in
                try packet.withUnsafeBytes { try decoder.decode($0, into: output) }
            }
        }
    }

    @Test("100000 random payloads decode or are refused; output stays finite", arguments: Codec.allCases)
    func randomPayloads(kind: Codec) throws {
        let seed: UInt64 = 711
        var random = SplitMix64(seed: seed)
        let decoder = try makeDecoder(kind)
        var output = [Float](repeating: 0, count: decoder.maximumFrames)
        var decoded = 0
        var refused = 0
        for _ in 0..<100_000 {
            let count = Int.random(in: 0...90, using: &random)
            let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let length = decoder.duration(of: payload)
            let useRedundancy = decoder.carriesFEC(payload) && Bool.random(using: &random)
            do {
                let count = try output.withUnsafeMutableBufferPointer { buffer in
                    try payload.withUnsafeBytes { bytes in
                        useRedundancy
                            ? try decoder.decodeFEC(bytes, frames: 960, into: buffer)
                            : try decoder.decode(bytes, into: buffer)
                    }
                }
                decoded += 1
                #expect(count == (useRedundancy ? 960 : length), "seed \(seed)")
                if !output[..<count].allSatisfy({ abs($0) <= 1 }) {
                    Issue.record("output out of range, seed \(seed)")
                    return
                }
            } catch is CodecError {
                refused += 1
            }
        }
        #expect(decoded > 10_000 && decoded + refused == 100_000, "\(decoded) decoded, \(refused) refused")
        #expect(refused > 500)
    }
}
