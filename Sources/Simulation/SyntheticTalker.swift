import Glibc
import Realtime

/// A talker made of numbers: voiced and unvoiced syllables in phrases, with pauses between them.
///
/// The loopback test needs speech-like sound (pitch, formants, onsets, pauses) without carrying a recording. A pulse
/// train through four resonators is the classic source-filter model (Klatt 1980, "Software for a cascade/parallel formant
/// synthesizer"); nobody will mistake it for a person, but echo control, jitter buffer and codec meet what speech makes
/// them meet. The same seed gives the same words.
public struct SyntheticTalker {
    /// Formant frequencies in Hz of the vowels it knows (Peterson and Barney 1952, men's averages, rounded).
    private static let vowels: [[Double]] = [
        [270, 2290, 3010, 3700], [390, 1990, 2550, 3600], [530, 1840, 2480, 3500], [660, 1720, 2410, 3500],
        [730, 1090, 2440, 3400], [570, 840, 2410, 3300], [300, 870, 2240, 3300],
    ]
    private static let bandwidths = [80.0, 100, 140, 200]

    private let sampleRate: Double
    private let voicePitch: Double
    private var random: SplitMix64
    private var resonators = [Resonator](repeating: Resonator(), count: 4)
    private var fricative = Resonator()

    /// - Parameters:
    ///   - sampleRate: Hz.
    ///   - pitch: mean fundamental frequency in Hz, about 100 for a man and 200 for a woman.
    ///   - seed: chooses the words.
    public init(sampleRate: Int, pitch: Double, seed: UInt64) {
        self.sampleRate = Double(sampleRate)
        voicePitch = pitch
        random = SplitMix64(seed: seed)
    }

    /// Speaks for `seconds`, phrases of one to three seconds with pauses of half a second to a second.
    /// - Returns: samples at about -23 dBov RMS while speaking, peak under 0.7.
    public mutating func speak(seconds: Double) -> [Float] {
        let total = Int(seconds * sampleRate)
        var sound: [Double] = []
        sound.reserveCapacity(total)
        while sound.count < total {
            let syllables = Int.random(in: 5...14, using: &random)
            for index in 0..<syllables {
                appendSyllable(to: &sound, declination: 1 - 0.2 * Double(index) / Double(syllables))
            }
            let pause = Double.random(in: 0.4...0.9, using: &random)
            sound.append(contentsOf: repeatElement(0, count: Int(pause * sampleRate)))
        }
        return normalised(sound.prefix(total))
    }

    private mutating func appendSyllable(to sound: inout [Double], declination: Double) {
        if Double.random(in: 0..<1, using: &random) < 0.6 { appendConsonant(to: &sound) }
        let formants = Self.vowels.randomElement(using: &random)!
        for i in 0..<4 {
            resonators[i].tune(frequency: formants[i], bandwidth: Self.bandwidths[i], sampleRate: sampleRate)
        }
        let count = Int(Double.random(in: 0.1...0.24, using: &random) * sampleRate)
        let pitch = voicePitch * declination * Double.random(in: 0.9...1.15, using: &random)
        let loudness = Double.random(in: 0.5...1, using: &random)
        var phase = 0.0
        for i in 0..<count {
            let along = Double(i) / Double(count)
            phase += pitch * (1 + 0.05 * sin(2 * .pi * along)) / sampleRate
            var source = 0.0
            if phase >= 1 {
                phase -= 1
                source = 1
            }
            source += Double.random(in: -0.01...0.01, using: &random)
            var sample = 0.0
            for k in 0..<4 { sample += resonators[k].step(source) * (k == 0 ? 1 : 0.6 / Double(k)) }
            sound.append(sample * loudness * min(1, along * 8) * min(1, (1 - along) * 6))
        }
    }

    private mutating func appendConsonant(to sound: inout [Double]) {
        fricative.tune(
            frequency: Double.random(in: 1800...min(5500, sampleRate * 0.4), using: &random), bandwidth: 900,
            sampleRate: sampleRate)
        let count = Int(Double.random(in: 0.03...0.09, using: &random) * sampleRate)
        for i in 0..<count {
            let along = Double(i) / Double(count)
            let noise = fricative.step(Double.random(in: -1...1, using: &random))
            sound.append(0.03 * noise * min(1, along * 4) * min(1, (1 - along) * 4))
        }
    }

    /// Speaks in turns: `turnSeconds` of speech, as long a silence, and so on.
    /// - Parameter startsSilent: the other one begins.
    public mutating func converse(seconds: Double, turnSeconds: Double, startsSilent: Bool) -> [Float] {
        var sound = speak(seconds: seconds)
        let turn = max(1, Int(turnSeconds * sampleRate))
        for i in sound.indices where ((i / turn) % 2 == 0) == startsSilent { sound[i] = 0 }
        return sound
    }

    /// Scales so that the loud parts stand at -23 dBov, a telephone's usual speech level, and no peak passes 0.7.
    private func normalised(_ sound: ArraySlice<Double>) -> [Float] {
        var energy = 0.0
        var voiced = 0
        var peak = 1e-9
        for sample in sound where sample != 0 {
            energy += sample * sample
            voiced += 1
            peak = max(peak, abs(sample))
        }
        let rms = (energy / Double(max(voiced, 1))).squareRoot()
        let gain = min(0.0708 / max(rms, 1e-9), 0.7 / peak)
        return sound.map { Float($0 * gain) }
    }
}

/// A second-order resonance with unity gain at its centre.
private struct Resonator {
    private var a1 = 0.0
    private var a2 = 0.0
    private var gain = 0.0
    private var y1 = 0.0
    private var y2 = 0.0

    mutating func tune(frequency: Double, bandwidth: Double, sampleRate: Double) {
        let f = min(frequency, sampleRate * 0.45)
        let radius = exp(-.pi * bandwidth / sampleRate)
        a1 = 2 * radius * cos(2 * .pi * f / sampleRate)
        a2 = -radius * radius
        gain = 1 - radius
    }

    mutating func step(_ input: Double) -> Double {
        let output = gain * input + a1 * y1 + a2 * y2
        y2 = y1
        y1 = output
        return output
    }
}
