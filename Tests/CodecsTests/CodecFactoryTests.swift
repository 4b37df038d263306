import Codecs
import Testing

@Suite("Codec construction and misuse") struct CodecFactoryTests {
    @Test("each codec has its rate, clock, name and payload type of the RFCs")
    func identity() {
        #expect(CodecKind.allCases.map(\.sampleRate) == [48_000, 8_000, 8_000, 16_000])
        #expect(CodecKind.allCases.map { $0.rtpClockRate() } == [48_000, 8_000, 8_000, 16_000])
        #expect(CodecKind.l16.rtpClockRate(sampleRate: 44_100) == 44_100)
        #expect(CodecKind.allCases.map(\.encodingName) == ["opus", "PCMU", "PCMA", "L16"])
        #expect(CodecKind.allCases.map(\.defaultPayloadType) == [111, 0, 8, 112])
    }

    @Test("settings out of range are refused by a sentence that names them")
    func badSettings() {
        func refusal(_ kind: CodecKind, _ settings: EncoderSettings, rate: Int? = nil) -> String {
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
    }

    @Test("a frame of the wrong length and a buffer without room are told, not trapped", arguments: CodecKind.allCases)
    func misuse(kind: CodecKind) throws {
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

    @Test("100000 random payloads decode or are refused; output stays finite", arguments: CodecKind.allCases)
    func randomPayloads(kind: CodecKind) throws {
        let seed: UInt64 = 711
        var random = TestRandom(seed: seed)
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
