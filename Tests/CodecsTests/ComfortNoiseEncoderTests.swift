import Codecs
import Glibc
import Realtime
import Testing

@Suite("Comfort noise (RFC 3389)") struct ComfortNoiseEncoderTests {
    /// Noise through one pole: `lean` above 0 leans to low frequencies, below 0 to high ones.
    private func noise(_ count: Int, level: Double, lean: Float = 0, seed: UInt64 = 7) -> [Float] {
        var random = SplitMix64(seed: seed)
        var last: Float = 0
        let gain = Float(pow(10, level / 20) * (3 * Double(1 - lean * lean)).squareRoot())
        return (0..<count).map { _ in
            last = lean * last + gain * Float.random(in: -1...1, using: &random)
            return last
        }
    }

    private struct Sent {
        var verdicts: [ComfortNoiseEncoder.Verdict] = []
        /// Payloads with the time of their frame in ms.
        var payloads: [(milliseconds: Int, bytes: [UInt8])] = []
    }

    private func send(_ signal: [Float], rate: Int, milliseconds: Int = 20) -> Sent {
        var encoder = ComfortNoiseEncoder(sampleRate: rate)
        var sent = Sent()
        let length = rate * milliseconds / 1000
        for start in stride(from: 0, through: signal.count - length, by: length) {
            let verdict = signal.withUnsafeBufferPointer {
                encoder.take(UnsafeBufferPointer(rebasing: $0[start..<start + length]))
            }
            sent.verdicts.append(verdict)
            guard verdict == .description else { continue }
            var payload = [UInt8](repeating: 0xff, count: 20)
            let bytes = payload.withUnsafeMutableBytes { encoder.write(into: $0) }
            sent.payloads.append((start * 1000 / rate, Array(payload[..<bytes])))
        }
        return sent
    }

    private func model(_ payload: [UInt8]) throws -> NoiseSpectrum {
        try #require(payload.withUnsafeBytes { NoiseSpectrum(payload: $0) })
    }

    @Test("every level and every coefficient's code is read and written as it is")
    func quantization() throws {
        for code in UInt8.min...127 {
            var read = try model([code])
            #expect(abs(10 * log10(read.power) + Float(code)) < 1e-3)
            #expect(read.levelCode == code)
            // k = 258 * (N - 127) / 32768, section 3.2; beyond 0.98 the filter would not be stable.
            for index in 0..<NoiseSpectrum.order {
                let number = 2 * code
                read = try model([40] + (0..<10).map { $0 == index ? number : 127 })
                let exact = 258 * (Double(number) - 127) / 32_768
                #expect(abs(Double(read.reflection[index]) - max(-0.98, min(0.98, exact))) < 1e-6)
                var payload = [UInt8](repeating: 0, count: 11)
                #expect(payload.withUnsafeMutableBytes { read.write(into: $0) } == 11)
                #expect(payload[0] == 40)
                #expect(abs(exact) > 0.98 || payload[1 + index] == number)
                #expect((1...10).filter { payload[$0] != 127 }.allSatisfy { $0 == 1 + index })
            }
        }
        // The unused bit is left out, and so are coefficients beyond the tenth.
        #expect(try model([0x80 | 50]).levelCode == 50)
        #expect(try model([50] + [UInt8](repeating: 255, count: 30)).flatness > 0)
        #expect([UInt8]().withUnsafeBytes { NoiseSpectrum(payload: $0) } == nil)
    }

    @Test("what cannot be told is told as the nearest that can")
    func limits() {
        for power in [0, Float.nan, .infinity, -1, 1e-30] { #expect(NoiseSpectrum(power: power).levelCode == 127) }
        #expect(NoiseSpectrum(power: 4).levelCode == 0)
        var wild = NoiseSpectrum(power: 1e-4)
        wild.reflection[0] = .nan
        wild.reflection[1] = 5
        wild.reflection[2] = -5
        var payload = [UInt8](repeating: 9, count: 11)
        #expect(payload.withUnsafeMutableBytes { wild.write(into: $0) } == 11)
        #expect(payload[0...4] == [40, 127, 254, 0, 127])
        #expect(payload.withUnsafeMutableBytes { wild.write(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<10])) } == 0)
    }

    @Test("the background's level and colour are described", arguments: [8_000, 16_000], [-0.8, 0, 0.6, 0.9] as [Float])
    func analysis(rate: Int, lean: Float) throws {
        for level in [-45.0, -60] {
            let sent = send(noise(4 * rate, level: level, lean: lean), rate: rate)
            let payload = try #require(sent.payloads.last).bytes
            #expect(payload.count == 11)
            #expect(abs(Double(payload[0]) + level) <= 2, "\(payload[0]) for \(level)")
            // One pole at `lean` is a first coefficient of -lean, and nothing else.
            let described = try model(payload)
            #expect(abs(described.reflection[0] + lean) < 0.1, "\(described.reflection[0]) for \(lean)")
            for index in 1..<NoiseSpectrum.order { #expect(abs(described.reflection[index]) < 0.15) }
        }
    }

    @Test(
        "in pauses the background is described, at least every 400 ms and no more than every 100; voice is sent",
        arguments: [(8_000, 10), (8_000, 20), (16_000, 20), (16_000, 40), (16_000, 60)])
    func pauses(rate: Int, milliseconds: Int) {
        // 3 s of voice, 3 s of pause, three times, in a room at -58 dBov.
        var signal = noise(18 * rate, level: -58, lean: 0.5)
        let speech = speechLike(seconds: 3, sampleRate: rate)
        for turn in 0..<3 { for index in speech.indices { signal[turn * 6 * rate + index] += speech[index] } }
        let sent = send(signal, rate: rate, milliseconds: milliseconds)
        let times = sent.payloads.map(\.milliseconds)
        for turn in 0..<3 {
            let pause = times.filter { (turn * 6000 + 3000..<turn * 6000 + 6000).contains($0) }
            #expect((7...12).contains(pause.count), "\(pause)")
            #expect((pause.first ?? .max) < turn * 6000 + 3600, "it begins a hang-over after the voice")
        }
        for (a, b) in zip(times, times.dropFirst()) where b - a < 1000 { #expect((100...460).contains(b - a)) }
        var speechEnergy = 0.0
        var lostEnergy = 0.0
        let length = rate * milliseconds / 1000
        for (index, verdict) in sent.verdicts.enumerated() where index * milliseconds % 6000 < 3000 {
            let part = signal[index * length..<(index + 1) * length]
            let energy = part.reduce(0.0) { $0 + Double($1) * Double($1) }
            speechEnergy += energy
            if verdict != .voice { lostEnergy += energy }
        }
        #expect(lostEnergy < 1e-4 * speechEnergy, "\(10 * log10(lostEnergy / speechEnergy)) dB of the voice")
        let pauseVerdicts = sent.verdicts.indices.filter { $0 * milliseconds % 6000 >= 3300 }.map { sent.verdicts[$0] }
        #expect(pauseVerdicts.filter { $0 == .voice }.count < pauseVerdicts.count / 20)
    }

    @Test("a change of the background's level is told within 300 ms")
    func change() throws {
        let rate = 8_000
        let signal = noise(3 * rate, level: -66) + noise(2 * rate, level: -60, seed: 8)
        let sent = send(signal, rate: rate)
        let told = try #require(sent.payloads.first { $0.milliseconds >= 3000 && $0.bytes[0] <= 63 })
        #expect(told.milliseconds < 3300)
    }

    @Test("digital silence is a pause of the least level")
    func silence() throws {
        let sent = send([Float](repeating: 0, count: 16_000), rate: 8_000)
        #expect(try #require(sent.payloads.first).bytes == [127] + [UInt8](repeating: 127, count: 10))
        #expect(sent.verdicts.count { $0 == .nothing } > 80)
    }

    @Test("tones, loud noise and numbers that are none are sent as they are")
    func kept() {
        let rate = 8_000
        let tone = (0..<8 * rate).map { 0.02 * Float(sin(2 * .pi * 425 * Double($0) / Double(rate))) }
        #expect(send(tone, rate: rate).verdicts.allSatisfy { $0 == .voice })
        #expect(send(noise(8 * rate, level: -25), rate: rate).verdicts.allSatisfy { $0 == .voice })
        #expect(send([Float](repeating: .nan, count: 8 * rate), rate: rate).verdicts.allSatisfy { $0 == .voice })
    }
}
