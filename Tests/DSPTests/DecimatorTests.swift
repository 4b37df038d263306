import Glibc
import Testing

import DSP

@Suite("Decimator")
struct DecimatorTests {
    private func run(_ input: [Float], factor: Int, delay: Int, block: Int) throws -> [Float] {
        var decimator = try Decimator(factor: factor, delay: delay, blockLength: block)
        var output = [Float](repeating: 0, count: input.count / factor)
        for start in stride(from: 0, to: input.count - block + 1, by: block) {
            output.withUnsafeMutableBufferPointer { out in
                input.withUnsafeBufferPointer {
                    decimator.process($0.baseAddress! + start, into: out.baseAddress! + start / factor)
                }
            }
        }
        return output
    }

    @Test("An impulse comes out after exactly the delay that was asked for", arguments: [(2, 40, 320), (3, 60, 480)])
    func delay(factor: Int, delay: Int, block: Int) throws {
        var impulse = [Float](repeating: 0, count: 4 * block)
        impulse[block + 3 * factor] = 1
        let output = try run(impulse, factor: factor, delay: delay, block: block)
        let peak = output.indices.max { output[$0] < output[$1] }
        #expect(peak == (block + 3 * factor + delay) / factor)
    }

    @Test("Tones under 6.8 of 8 kHz keep their level to 0.1 dB; aliases are 50 dB down")
    func levels() throws {
        for hertz in [300.0, 1000, 4000, 6800, 8700, 11_000, 15_500, 20_000] {
            let tone = Signals.tone(hertz, rate: 48_000, count: 48_000)
            let output = try run(tone, factor: 3, delay: 60, block: 480)
            let gain = Signals.level(output[4000...]) - Signals.level(tone[12_000...])
            if hertz < 7000 {
                #expect(abs(gain) < 0.1, "\(hertz) Hz: \(gain)")
            } else {
                #expect(gain < -50, "\(hertz) Hz: \(gain)")
            }
        }
    }

    @Test("The amplitude that it names is the one that is left", arguments: [4000.0, 7200, 7600, 7800])
    func amplitude(hertz: Double) throws {
        let named = try Decimator(factor: 3, delay: 60, blockLength: 480).amplitude(at: hertz / 48_000)
        let tone = Signals.tone(hertz, rate: 48_000, count: 48_000)
        let output = try run(tone, factor: 3, delay: 60, block: 480)
        let gain = Signals.level(output[4000...]) - Signals.level(tone[12_000...])
        #expect(abs(gain - 20 * log10(named)) < 0.1)
    }

    @Test("What it cannot do is refused")
    func refused() {
        #expect(throws: DSPError.self) { _ = try Decimator(factor: 1, delay: 40, blockLength: 480) }
        #expect(throws: DSPError.self) { _ = try Decimator(factor: 3, delay: 0, blockLength: 480) }
        #expect(throws: DSPError.self) { _ = try Decimator(factor: 3, delay: 60, blockLength: 100) }
        #expect(throws: DSPError.self) { _ = try Decimator(factor: 3, delay: 60, blockLength: 480, cutoff: .nan) }
    }
}
