import AudioUnits
import DSP
import Glibc
import Testing

/// What people really send into a call beside speech: nothing of it may howl, drive the filters apart, or come out louder
/// than the microphone had it.
@Suite("Signals that are no speech")
struct VoiceSignalTests {
    private static let rate = 16_000.0

    /// Something to play for 12 s.
    enum Programme: String, CaseIterable, CustomTestStringConvertible {
        case tone, chord, ringTone, silence, speech, square, sweep

        var testDescription: String { rawValue }

        var samples: [Float] {
            let count = 12 * 16_000
            func tone(_ hertz: [Double], _ amplitude: Float) -> [Float] {
                (0..<count).map { index in
                    let time = Double(index) / 16_000
                    return amplitude * Float(hertz.reduce(0) { $0 + sin(2 * .pi * $1 * time) })
                }
            }
            switch self {
            case .tone: return tone([1000], 0.3)
            case .chord: return Self.chords(count)
            case .ringTone:
                // 425 Hz, a second of five.
                return zip(tone([425], 0.3), 0...).map { $1 % 80_000 < 16_000 ? $0 : 0 }
            case .silence: return [Float](repeating: 0, count: count)
            case .speech: return Signals.speechLike(rate: 16_000, seconds: 12, level: 0.2, seed: 3)
            case .square: return tone([200], 1).map { $0 >= 0 ? 1 : -1 }
            case .sweep:
                return (0..<count).map { index in
                    let time = Double(index) / 16_000
                    return 0.3 * Float(sin(2 * .pi * 150 * time * exp(time / 6)))
                }
            }
        }

        /// Music on hold: a new chord every half second, each note with its overtones.
        private static func chords(_ count: Int) -> [Float] {
            (0..<count).map { index in
                let time = Double(index) / 16_000
                let step = Double([0, 5, 7, 3, 8, 10][Int(time * 2) % 6])
                let base = 220 * pow(2, step / 12)
                var value = 0.0
                for note in [1, 1.26, 1.5] {
                    for overtone in 1...6 {
                        let hertz = base * note * Double(overtone)
                        value += sin(2 * .pi * hertz * time) / Double(overtone)
                    }
                }
                let fall = exp(-2 * (time * 2).truncatingRemainder(dividingBy: 1))
                return 0.08 * Float(value * fall)
            }
        }
    }

    /// What the microphone does to what it hears.
    enum Microphone: String, CaseIterable, CustomTestStringConvertible {
        case plain, dead, clipping, quiet, loudEcho

        var testDescription: String { rawValue }
    }

    @Test(
        "neither howls nor drifts apart, and is never louder than the microphone",
        arguments: Programme.allCases, Microphone.allCases)
    func neverLouder(programme: Programme, microphone: Microphone) throws {
        let bench = try VoiceBench(rate: Self.rate, far: programme.samples) { $0.automaticGainControl = false }
        let near = Signals.speechLike(rate: Self.rate, seconds: 12, level: 0.02, seed: 8)
        let gain: Float = microphone == .quiet ? 0.02 : microphone == .loudEcho ? 3 : 1
        let room = EchoRoom(rate: Self.rate, rt60: 0.28, delaySeconds: 0.03, gain: gain, block: 160, seed: 4)
        var noise = Noise(seed: 6)
        var heard: [Float] = []
        var played = [Float](repeating: 0, count: 160)
        for turn in 0..<1200 {
            var block = room.hear(played)
            for index in 0..<160 {
                block[index] += noise.next() * 5e-4 + (turn > 600 ? near[turn * 160 + index] : 0)
                switch microphone {
                case .dead: block[index] = 0
                case .clipping: block[index] = max(-1, min(1, 6 * block[index]))
                case .plain, .quiet, .loudEcho: block[index] = max(-1, min(1, block[index]))
                }
            }
            heard += block
            bench.device.capture(block)
            played = bench.device.play(160)
        }
        let output = bench.collector.samples
        #expect(output.allSatisfy { $0.isFinite && $0.magnitude < 2 })
        // Over 100 ms, 10 ms later, against the loudest of the microphone's 100 ms around it.
        let powers = stride(from: 0, to: heard.count - 1600, by: 1600).map { Signals.power(heard[$0..<$0 + 1600]) }
        for index in 1..<powers.count - 1 {
            let start = index * 1600 + 160
            let out = Signals.power(output[start..<start + 1600])
            let most = max(powers[index - 1], powers[index], powers[index + 1])
            #expect(Signals.decibels(max(out, 1e-8) / max(most, 1e-8)) < 0.5, "\(index)00 ms: \(out) of \(most)")
        }
    }
}
