import AudioUnits
import Glibc
import Testing

private let ceiling = Signals.amplitude(decibels: -1)

/// The limiter on a whole signal in blocks of 10 ms.
private func limited(_ samples: [Float], rate: Int) throws -> [Float] {
    let block = rate / 100
    var limiter = try TruePeakLimiter(blockFrames: block, sampleRate: Double(rate))
    var output = samples
    output.withUnsafeMutableBufferPointer { all in
        for start in stride(from: 0, to: all.count - block + 1, by: block) {
            limiter.process(all.baseAddress! + start, count: block)
        }
    }
    return output
}

/// The largest magnitude of the signal between its samples: sixteen points a sample, by a sinc of 64 taps.
private func truePeak(_ samples: ArraySlice<Float>) -> Double {
    var peak = 0.0
    let all = Array(samples)
    let kernels = (0..<16).map { phase in
        (-31...32).map { tap -> Double in
            let t = Double.pi * (Double(tap) - Double(phase) / 16)
            let taper = cos(t / 66)
            return (t == 0 ? 1 : sin(t) / t) * taper * taper
        }
    }
    for index in 31..<all.count - 33 where all[index].magnitude > 0.4 {
        for kernel in kernels {
            var sum = 0.0
            for (offset, value) in kernel.enumerated() { sum += value * Double(all[index - 31 + offset]) }
            peak = max(peak, abs(sum))
        }
    }
    return peak
}

@Suite("True-peak limiter")
struct TruePeakLimiterTests {
    @Test("what stays under -7.5 dBFS comes out bit for bit", arguments: [8_000, 16_000, 32_000, 48_000])
    func transparent(rate: Int) throws {
        let tone = Signals.sine(437, rate: Double(rate), count: rate, amplitude: 0.42)
        #expect(try limited(tone, rate: rate) == tone)
        let speech = Signals.speechLike(rate: Double(rate), seconds: 4, level: 0.03, seed: 2).map { max(-0.4, min(0.4, $0)) }
        #expect(try limited(speech, rate: rate) == speech)
    }

    @Test("loud speech, far over full scale, has no true peak over -1 dBTP", arguments: [8_000, 16_000, 32_000, 48_000])
    func holdsTheCeiling(rate: Int) throws {
        for seed in 5...8 as ClosedRange<UInt64> {
            let speech = Signals.speechLike(rate: Double(rate), seconds: 3, level: 0.6, seed: seed)
            let output = try limited(speech, rate: rate)
            let peak = truePeak(output[...])
            print("limiter at \(rate) Hz, seed \(seed): true peak \(20 * log10(peak)) dBTP")
            #expect(peak <= ceiling, "\(20 * log10(peak)) dBTP, seed \(seed)")
            #expect(Signals.decibels(Signals.power(output[...])) > -14, "seed \(seed)")
        }
    }

    @Test("a peak between the samples is found: a quarter of the rate at 45 degrees", arguments: [16_000, 48_000])
    func betweenSamples(rate: Int) throws {
        // Every sample at 0.71 of the peak.
        let tone = (0..<rate).map { index -> Float in
            let phase = Double.pi * (Double(index) / 2 + 0.25)
            return Float(1.2 * sin(phase))
        }
        let output = try limited(tone, rate: rate)
        #expect(output.allSatisfy { $0.magnitude < 0.87 })
        let peak = truePeak(output[(rate / 2)...])
        #expect(peak <= ceiling && peak > 0.75, "\(peak)")
    }

    @Test("a tone under the ceiling is hardly distorted, and the gain is back half a second after a peak")
    func recovers() throws {
        var tone = Signals.sine(300, rate: 16_000, count: 32_000, amplitude: 0.5)
        for index in 8_000..<8_020 { tone[index] = 2 }
        let output = try limited(tone, rate: 16_000)
        #expect(output[8_000..<8_020].allSatisfy { $0 <= 0.891 })
        for index in 17_600..<32_000 { #expect(abs(output[index] - tone[index]) < 0.01) }
        #expect(Array(output[..<7_980]) == Array(tone[..<7_980]))
    }

    @Test(
        "full-scale square waves and what is no number never get past, and leave nothing behind",
        arguments: [Float.nan, .infinity, 1e30, 1])
    func badInput(value: Float) throws {
        var input = [Float](repeating: 0, count: 32_000)
        for index in 0..<16_000 { input[index] = (index / 20) % 2 == 0 ? value : -value }
        for index in 24_000..<32_000 { input[index] = 0.1 }
        let output = try limited(input, rate: 16_000)
        #expect(output.allSatisfy { $0.magnitude <= 0.891 })
        #expect(output[24_160...].allSatisfy { abs($0 - 0.1) < 0.002 })
    }

    @Test("wrong rates and block lengths are refused by name")
    func refuses() {
        let wrong: [(Int, Double)] = [
            (80, 7_999), (960, 96_000), (160, .nan), (0, 16_000), (-1, 16_000), (11, 16_000),
        ]
        for (block, rate) in wrong {
            #expect {
                _ = try TruePeakLimiter(blockFrames: block, sampleRate: rate)
            } throws: {
                if case .outOfRange = $0 as? AudioUnitError { true } else { false }
            }
        }
    }
}
