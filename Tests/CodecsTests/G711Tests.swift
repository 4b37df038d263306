import Codecs
import Glibc
import Testing

/// A row of the fixture: a code, its value, and the first and last sample that it stands for.
private struct GoldenRow {
    let code: UInt8
    let value: Int16
    let samples: ClosedRange<Int>

    static func table(_ law: G711.Law) throws -> [GoldenRow] {
        let here = #filePath
        let folder = here[..<(here.lastIndex(of: "/") ?? here.startIndex)]
        let file = try #require(fopen("\(folder)/Fixtures/g711-\(law == .mu ? "ulaw" : "alaw").csv", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
        return try text.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: ",").compactMap { Int($0) }
            try #require(fields.count == 4)
            return GoldenRow(code: UInt8(fields[0]), value: Int16(fields[1]), samples: fields[2]...fields[3])
        }
    }
}

@Suite("G.711") struct G711Tests {
    @Test("every code expands to the recommendation's value", arguments: [G711.Law.mu, .a])
    func expansion(law: G711.Law) throws {
        let table = try GoldenRow.table(law)
        #expect(table.count == 256)
        for row in table { #expect(G711.expand(row.code, law) == row.value, "code \(row.code)") }
    }

    @Test("every one of the 65536 samples compresses to the recommendation's code", arguments: [G711.Law.mu, .a])
    func compression(law: G711.Law) throws {
        var compared = 0
        for row in try GoldenRow.table(law) {
            for sample in row.samples {
                compared += 1
                if G711.compress(Int16(sample), law) != row.code {
                    Issue.record("sample \(sample) gives \(G711.compress(Int16(sample), law)), not \(row.code)")
                    return
                }
            }
        }
        #expect(compared == 65_536)
    }

    @Test("compressing an expanded code gives the code back, but for mu-law's negative zero")
    func stability() {
        for code in UInt8.min...UInt8.max {
            #expect(G711.compress(G711.expand(code, .a), .a) == code)
            #expect(G711.compress(G711.expand(code, .mu), .mu) == (code == 0x7F ? 0xFF : code))
        }
    }

    @Test("the encoder agrees with the formula on every sample", arguments: [Codec.pcmu, .pcma])
    func encoderTable(kind: Codec) throws {
        let encoder = try makeEncoder(kind, settings: EncoderSettings(frameMilliseconds: 10))
        let all = (-32_768...32_767).map { Float($0) / 32_768 }
        // 65536 samples are 819 frames and a rest; the rest is checked by a second pass from the other end.
        for signal in [all, Array(all.reversed())] {
            let codes = try encoder.packets(of: signal).flatMap { $0 }
            #expect(codes.count == 65_520)
            for (sample, code) in zip(signal, codes) {
                let expected = G711.compress(Int16(sample * 32_768), kind == .pcmu ? .mu : .a)
                if code != expected {
                    Issue.record("\(sample * 32_768) gives \(code), not \(expected)")
                    return
                }
            }
        }
    }

    @Test("speech survives with at least 35 dB", arguments: [Codec.pcmu, .pcma])
    func accuracy(kind: Codec) throws {
        let speech = speechLike(seconds: 2, sampleRate: 8_000)
        let encoder = try makeEncoder(kind)
        let decoder = try makeDecoder(kind)
        let heard = try encoder.packets(of: speech).flatMap { try decoder.samples(of: $0) }
        #expect(heard.count == 16_000)
        let ratio = signalToNoise(speech[...], heard[...])
        #expect(ratio > 35, "\(ratio) dB")
    }

    @Test("samples beyond full scale and not-a-number neither trap nor wrap")
    func extremes() throws {
        let encoder = try makeEncoder(.pcmu, settings: EncoderSettings(frameMilliseconds: 10))
        let decoder = try makeDecoder(.pcmu)
        let values: [Float] = [5, -5, .infinity, -.infinity, 1, -1, .nan, 0]
        let heard = try decoder.samples(of: encoder.packets(of: (0..<80).map { values[$0 % 8] })[0])
        #expect(heard[0] > 0.97 && heard[2] > 0.97 && heard[4] > 0.97)
        #expect(heard[1] < -0.97 && heard[3] < -0.97 && heard[5] < -0.97)
        #expect(heard.allSatisfy { abs($0) <= 1 })
    }

    @Test("packets up to 200 ms decode; empty and longer ones are malformed", arguments: [Codec.pcmu, .pcma])
    func lengths(kind: Codec) throws {
        let decoder = try makeDecoder(kind)
        #expect(try decoder.samples(of: [UInt8](repeating: 0xD5, count: 1_600)).count == 1_600)
        #expect(try decoder.samples(of: [0xD5]).count == 1)
        for count in [0, 1_601, 9_000] {
            let packet = [UInt8](repeating: 0xD5, count: count)
            #expect(decoder.duration(of: packet) == nil)
            #expect(throws: CodecError.malformedPayload) { try decoder.samples(of: packet) }
        }
    }
}
