import AudioUnits
import DSP
import Glibc
import Testing

/// Noise suppression of a whole signal between an analysis and a synthesis of two blocks of 10 ms under a sine window.
private func suppressed(
    _ samples: [Float], rate: Int, decibels: Double = -20, isActive: Bool = true
) throws -> [Float] {
    var suppressor = try NoiseSuppressor(rate: rate, strongestDecibels: decibels)
    let block = rate / 100
    let fft = try RealFFT(length: 2 * block)
    let window = (0..<2 * block).map { Float(sin(.pi * (Double($0) + 0.5) / Double(2 * block))) }
    var output = [Float](repeating: 0, count: samples.count)
    var frame = [Float](repeating: 0, count: 2 * block)
    var spectrum = [Complex](repeating: Complex(), count: block + 1)
    for start in stride(from: 0, to: samples.count - 2 * block + 1, by: block) {
        for index in frame.indices { frame[index] = samples[start + index] * window[index] }
        fft.forward(frame, into: &spectrum)
        suppressor.process(&spectrum, isActive: isActive)
        fft.inverse(spectrum, into: &frame)
        for index in frame.indices { output[start + index] += frame[index] * window[index] }
    }
    return output
}

/// Power of one part of a signal over the same part of another, in dB.
private func change(_ output: [Float], _ input: [Float], rate: Int, _ seconds: ClosedRange<Double>) -> Double {
    let part = Int(seconds.lowerBound * Double(rate))..<Int(seconds.upperBound * Double(rate))
    return Signals.decibels(Signals.power(output[part]) / Signals.power(input[part]))
}

private func noise(level: Double, count: Int, seed: UInt64) -> [Float] {
    var source = Noise(seed: seed)
    let scale = Float(Signals.amplitude(decibels: level)) * 1.732
    return (0..<count).map { _ in source.next() * scale }
}

@Suite("Noise suppressor")
struct NoiseSuppressorTests {
    @Test(
        "steady noise falls close to the setting within a second, at any rate and level",
        arguments: [8_000, 16_000, 32_000, 48_000], [-60.0, -35])
    func steadyNoise(rate: Int, level: Double) throws {
        let input = noise(level: level, count: 4 * rate, seed: 3)
        for setting in [-10.0, -20] {
            let fallen = change(try suppressed(input, rate: rate, decibels: setting), input, rate: rate, 1...3.9)
            #expect(fallen < 0.7 * setting && fallen > setting - 1, "\(fallen) dB at \(setting) dB")
        }
    }

    @Test("noise that rises or falls by 12 dB is followed within two seconds")
    func followsChanges() throws {
        let input =
            noise(level: -50, count: 64_000, seed: 4) + noise(level: -38, count: 80_000, seed: 5)
            + noise(level: -50, count: 64_000, seed: 6)
        let output = try suppressed(input, rate: 16_000)
        for part in [2.0...3.9, 6.0...8.9, 11.0...12.9] {
            let fallen = change(output, input, rate: 16_000, part)
            #expect(fallen < -13, "\(fallen) dB in \(part)")
        }
    }

    @Test("clean speech passes, also in a room that is nearly quiet", arguments: [8_000, 16_000, 48_000])
    func speechPasses(rate: Int) throws {
        let speech = Signals.speechLike(rate: Double(rate), seconds: 8, level: 0.05, seed: 7)
        let floor = noise(level: -75, count: speech.count, seed: 8)
        let input = zip(speech, floor).map { $0 + $1 }
        let changed = change(try suppressed(input, rate: rate), input, rate: rate, 2...7.9)
        #expect(abs(changed) < 1, "\(changed) dB")
    }

    @Test(
        "a voice stands further out of its noise than before: pauses fall by 8 dB, the voice by less than 2 (3.5 at 5 dB)",
        arguments: [5.0, 10, 15])
    func raisesTheRatio(ratio: Double) throws {
        let rate = 16_000
        let voice = Signals.voiceLike(rate: 16_000, seconds: 10, level: 0.05)
        let added = noise(level: 20 * log10(0.05) - ratio, count: voice.count, seed: 10)
        let input = zip(voice, added).map { $0 + $1 }
        let output = try suppressed(input, rate: 16_000)
        // What is left of the voice by projection; of the pauses, their second half, when its last syllable has rung out.
        var cross = 0.0, own = 0.0
        var before: Float = 0, after: Float = 0
        for index in 2 * rate..<159_000 {
            cross += Double(output[index]) * Double(voice[index])
            own += Double(voice[index]) * Double(voice[index])
            guard (Double(index) / Double(rate)).truncatingRemainder(dividingBy: 1.3) > 1.15 else { continue }
            before += input[index] * input[index]
            after += output[index] * output[index]
        }
        let (kept, fallen) = (20 * log10(cross / own), Signals.decibels(after / before))
        print("noise suppressor at \(ratio) dB: voice \(kept) dB, pauses \(fallen) dB")
        // Harmonics that lie under the noise go with it.
        #expect(kept > (ratio > 5 ? -2 : -3.5))
        #expect(fallen < -8)
    }

    @Test("switched off, nothing changes, and switched on later it knows the noise")
    func learnsWhileOff() throws {
        let input = noise(level: -40, count: 32_000, seed: 11)
        let output = try suppressed(input, rate: 16_000, isActive: false)
        for index in 160..<31_000 { #expect(abs(output[index] - input[index]) < 1e-5) }
        var suppressor = try NoiseSuppressor(rate: 16_000, strongestDecibels: -20)
        var source = Noise(seed: 12)
        var before: Float = 0, after: Float = 0
        for block in 0..<200 {
            var spectrum = (0...160).map { _ in Complex(source.next() * 0.1, source.next() * 0.1) }
            let power = spectrum.reduce(Float(0)) { $0 + $1.power }
            suppressor.process(&spectrum, isActive: block >= 190)
            guard block >= 190 else { continue }
            before += power
            after += spectrum.reduce(Float(0)) { $0 + $1.power }
        }
        #expect(Signals.decibels(after / before) < -12)
    }

    @Test(
        "bursts of echo 10 dB over the noise go with it where they are announced, and stay where they are not",
        arguments: [false, true])
    func echo(isAnnounced: Bool) throws {
        var suppressor = try NoiseSuppressor(rate: 16_000, strongestDecibels: -20)
        var source = Noise(seed: 14)
        var before: Float = 0, after: Float = 0
        let echo = [Float](repeating: 0.2, count: 161)
        for block in 0..<300 {
            let isBurst = block > 200 && block % 20 < 5
            let scale: Float = isBurst ? 0.33 : 0.1
            var spectrum = (0...160).map { _ in Complex(source.next() * scale, source.next() * scale) }
            let power = spectrum.reduce(Float(0)) { $0 + $1.power }
            echo.withUnsafeBufferPointer {
                suppressor.process(&spectrum, echo: isBurst && isAnnounced ? $0.baseAddress : nil, isActive: true)
            }
            guard isBurst else { continue }
            before += power
            after += spectrum.reduce(Float(0)) { $0 + $1.power }
        }
        let fallen = Signals.decibels(after / before)
        #expect(isAnnounced ? fallen < -12 : fallen > -6, "\(fallen) dB")
    }

    @Test(
        "no input leaves anything but numbers behind: NaN, infinities, silence, full-scale square waves",
        arguments: [Float.nan, .infinity, 3e38, 0, 1])
    func badInput(value: Float) throws {
        var input = noise(level: -40, count: 64_000, seed: 13)
        for index in 16_000..<32_000 { input[index] = (index / 40) % 2 == 0 ? value : -value }
        let output = try suppressed(input, rate: 16_000)
        #expect(output.allSatisfy { $0.isFinite && $0.magnitude < 1.5 })
        let fallen = change(output, input, rate: 16_000, 3...3.9)
        #expect(fallen < -13, "\(fallen) dB")
    }

    @Test("wrong rates and settings are refused by name")
    func refuses() {
        let wrong: [(Int, Double)] = [
            (7_900, -15), (16_050, -15), (96_000, -15), (0, -15), (16_000, 1), (16_000, -41), (16_000, .nan),
        ]
        for (rate, setting) in wrong {
            #expect {
                _ = try NoiseSuppressor(rate: rate, strongestDecibels: setting)
            } throws: {
                if case .outOfRange = $0 as? AudioUnitError { true } else { false }
            }
        }
    }
}
