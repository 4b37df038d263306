import Testing

import AudioUnits

@Suite("High-pass")
struct HighPassTests {
    @Test("3 dB at its cutoff, 12 dB an octave below, nothing above", arguments: [8_000, 16_000, 48_000])
    func response(rate: Int) {
        for (hertz, expected, tolerance) in [(60.0, -3.01, 0.1), (15, -24.1, 0.3), (300, 0, 0.05), (3000, 0, 0.05)] {
            var filter = HighPass(rate: rate, cutoff: 60)
            let tone = Signals.sine(hertz, rate: Double(rate), count: 2 * rate)
            var output = tone
            filter.process(tone, count: tone.count, into: &output)
            let gain = Signals.decibels(Signals.power(output[rate...]) / Signals.power(tone[rate...]))
            #expect(abs(gain - expected) < tolerance, "\(hertz) Hz at \(rate): \(gain) dB")
        }
    }
}
