import DSP
import Testing

import AudioUnits

@Suite("Combination of the filters")
struct FilterCombinationTests {
    private let bins = 161

    /// Runs spectra of independent noise: echo, near end, and two estimates made from them.
    private func left(
        near level: Float = 0, seed: UInt64 = 6, estimates: (Complex, Complex) -> (kalman: Complex, speex: Complex)
    ) -> (echo: Double, output: Double) {
        var noise = Noise(seed: seed)
        func value(_ level: Float) -> Complex { Complex(noise.next() * level, noise.next() * level) }
        let bands = FrequencyBands(bins: bins, binHertz: 50)
        var combination = FilterCombination(bins: bins, bandCount: bands.count)
        var echoPower: Float = 0
        var leftPower: Float = 0
        var micPower: Float = 0
        var outPower: Float = 0
        for block in 0..<200 {
            let echo = (0..<bins).map { _ in value(1) }
            let near = (0..<bins).map { _ in value(level) }
            let garbage = (0..<bins).map { _ in value(1) }
            let pairs = zip(echo, garbage).map(estimates)
            let mic = zip(echo, near).map { Complex($0.re + $1.re, $0.im + $1.im) }
            combination.process(
                microphone: mic, kalman: pairs.map(\.kalman), speex: pairs.map(\.speex), bands: bands)
            guard block >= 20 else { continue }
            for bin in 0..<bins {
                echoPower += echo[bin].power
                micPower += mic[bin].power
                outPower += combination.error[bin].power
                leftPower +=
                    Complex(
                        combination.error[bin].re - near[bin].re, combination.error[bin].im - near[bin].im
                    ).power
            }
        }
        return (Signals.decibels(echoPower / leftPower), Signals.decibels(micPower / outPower))
    }

    private func scaled(_ x: Complex, _ gain: Float, plus y: Complex = Complex(), _ other: Float = 0) -> Complex {
        Complex(x.re * gain + y.re * other, x.im * gain + y.im * other)
    }

    @Test("One estimate replaced by garbage costs less than 1 dB", arguments: [false, true])
    func oneIsGarbage(kalmanIsGood: Bool) {
        let alone = left { echo, other in
            let good = scaled(echo, 1, plus: other, 0.1)
            return (good, good)
        }
        let mixed = left { echo, other in
            let good = scaled(echo, 1, plus: other, 0.1)
            // Independent of the error of the good one: the other's parts changed over.
            let bad = Complex(other.im, -other.re)
            return kalmanIsGood ? (good, bad) : (bad, good)
        }
        #expect(alone.echo > 19)
        #expect(mixed.echo > alone.echo - 1, "\(mixed.echo) of \(alone.echo) dB")
    }

    @Test("Two kinds of garbage leave the microphone as it was, never louder")
    func bothAreGarbage() {
        let result = left { _, other in (scaled(other, 3), Complex(other.im, other.re)) }
        #expect(result.output > -0.01 && result.output < 1, "\(result.output) dB")
    }

    @Test("Near-end speech 6 dB over the echo does not turn good estimates down")
    func nearEnd() {
        let result = left(near: 2) { echo, other in
            (scaled(echo, 1, plus: other, 0.1), scaled(echo, 1, plus: other, 0.3))
        }
        #expect(result.echo > 12, "\(result.echo) dB")
    }

    @Test("With one estimate alone, that is taken out")
    func one() {
        var noise = Noise(seed: 2)
        let bands = FrequencyBands(bins: bins, binHertz: 50)
        var combination = FilterCombination(bins: bins, bandCount: bands.count)
        let spectrum = (0..<bins).map { _ in Complex(noise.next(), noise.next()) }
        for _ in 0..<5 {
            combination.process(microphone: spectrum, kalman: spectrum, speex: nil, bands: bands)
        }
        let left = sum(combination.errorPower, count: bins)
        #expect(left < 1e-6)
    }
}
