import DSP
import Glibc
import Realtime

/// Seeded noise for tests.
struct Noise {
    private var random: SplitMix64
    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func next() -> Float { Float(Int64(bitPattern: random.next()) >> 40) / 8_388_608 }
}

enum Signals {
    static func sine(_ frequency: Double, rate: Double, count: Int, amplitude: Float = 0.5) -> [Float] {
        (0..<count).map { amplitude * Float(sin(2 * .pi * frequency * Double($0) / rate)) }
    }

    /// Noise with a speech-like spectrum (flat to 500 Hz, then falling 6 dB an octave) in syllables of 4 Hz with a
    /// pause every second or so.
    static func speechLike(rate: Double, seconds: Double, level: Float = 0.1, seed: UInt64) -> [Float] {
        var noise = Noise(seed: seed)
        let pole = Float(exp(-2 * Double.pi * 500 / rate))
        let highPass = Float(exp(-2 * Double.pi * 100 / rate))
        var low: Float = 0
        var mean: Float = 0
        var samples = (0..<Int(rate * seconds)).map { index -> Float in
            low = pole * low + (1 - pole) * noise.next()
            mean = highPass * mean + (1 - highPass) * low
            let time = Double(index) / rate
            let syllable = 0.15 + 0.85 * pow(0.5 - 0.5 * cos(2 * .pi * 4 * time), 1.5)
            let phrase = time.truncatingRemainder(dividingBy: 1.3) < 1.05 ? 1.0 : 0.02
            return (low - mean) * Float(syllable * phrase)
        }
        let scale = level / power(samples[...]).squareRoot()
        for index in samples.indices { samples[index] *= scale }
        return samples
    }

    /// A voice: harmonics of a pitch that glides between 110 and 190 Hz, falling 6 dB an octave from 500 Hz on up to 4 kHz, in
    /// the syllables and pauses of `speechLike`.
    static func voiceLike(rate: Double, seconds: Double, level: Float = 0.1) -> [Float] {
        var phase = 0.0
        var samples = (0..<Int(rate * seconds)).map { index -> Float in
            let time = Double(index) / rate
            let pitch = 150 + 40 * sin(2 * .pi * 0.7 * time)
            phase += 2 * .pi * pitch / rate
            var value = 0.0
            for harmonic in 1...Int(min(4000, 0.45 * rate) / 190) {
                let over = Double(harmonic) * pitch / 500
                value += sin(Double(harmonic) * phase) / (1 + over * over).squareRoot()
            }
            let syllable = 0.15 + 0.85 * pow(0.5 - 0.5 * cos(2 * .pi * 4 * time), 1.5)
            return Float(value * syllable * (time.truncatingRemainder(dividingBy: 1.3) < 1.05 ? 1 : 0.02))
        }
        let scale = level / power(samples[...]).squareRoot()
        for index in samples.indices { samples[index] *= scale }
        return samples
    }

    /// Mean power, full scale 1.
    static func power(_ samples: ArraySlice<Float>) -> Float {
        Float(samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count)))
    }

    /// Amplitude ratio of a level in dB.
    static func amplitude(decibels: Double) -> Double { pow(10, decibels / 20) }

    static func decibels(_ ratio: Float) -> Double { 10 * log10(Double(max(ratio, 1e-20))) }
}

/// A loudspeaker and a microphone in one room: delay, direct path, and an exponentially decaying tail.
final class EchoRoom {
    private let convolver: Convolver
    private let block: Int
    private var output: [Float]

    /// `rt60` in seconds; the echo comes back at about `gain` times the level played.
    init(rate: Double, rt60: Double, delaySeconds: Double, gain: Float, block: Int, seed: UInt64) {
        var noise = Noise(seed: seed)
        let delay = Int(delaySeconds * rate)
        let length = Int(rt60 * rate)
        var response = [Float](repeating: 0, count: delay + length)
        let direct = max(1, Int(0.003 * rate))
        for index in 0..<length {
            let decay = pow(10, -3 * Double(index) / Double(length))
            response[delay + index] = index < direct ? 0 : 0.12 * noise.next() * Float(decay)
        }
        response[delay] = 1
        let energy = response.reduce(Float(0)) { $0 + $1 * $1 }
        for index in response.indices { response[index] *= gain / energy.squareRoot() }
        self.block = block
        convolver = try! Convolver(impulseResponse: response, blockLength: block)
        output = [Float](repeating: 0, count: block)
    }

    /// What the microphone hears of one played block, in the same 10 ms.
    func hear(_ played: [Float]) -> [Float] {
        precondition(played.count == block)
        played.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer {
                convolver.process(source.baseAddress!, into: $0.baseAddress!)
            }
        }
        return output
    }
}
