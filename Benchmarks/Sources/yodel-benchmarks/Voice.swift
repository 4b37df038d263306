import Glibc

/// Something like a voice, for what noise or a plain tone would measure unfairly: pulses of a wandering pitch through three
/// wandering formants, breath in place of pulses now and then, every fourth second a pause with a little noise.
enum Voice {
    static func samples(seconds: Int, rate: Int) -> [Float] {
        var generator = Chance(seed: 5)
        func random(_ range: Range<Double>) -> Double { Double.random(in: range, using: &generator) }
        var phase = 0.0
        var pitch = (now: 120.0, goal: 120.0)
        var level = (now: 0.0, goal: 0.0)
        var isBreath = false
        var formants = [Formant(hertz: 500, width: 80), Formant(hertz: 1500, width: 110), Formant(hertz: 2500, width: 150)]
        return (0..<(seconds * rate)).map { index in
            if index % (rate / 8) == 0 {
                pitch.goal = random(90..<210)
                level.goal = index / rate % 4 == 3 ? 0 : random(0.3..<1)
                isBreath = random(0..<1) < 0.25
                formants[0].goal = random(300..<800)
                formants[1].goal = random(900..<2200)
                formants[2].goal = random(2300..<3000)
            }
            let approach = 20 / Double(rate)
            pitch.now += approach * (pitch.goal - pitch.now)
            level.now += 3 * approach * (level.goal - level.now)
            phase += pitch.now / Double(rate)
            var source = (isBreath ? 0.05 : 0.0015) * random(-0.5..<0.5)
            if phase >= 1 {
                phase -= 1
                if !isBreath { source += 1 }
            }
            var sum = 0.0
            for number in 0..<3 {
                sum += formants[number].filter(source, approach: approach, rate: Double(rate)) / Double(number + 1)
            }
            return Float(max(-1, min(1, 0.8 * level.now * sum)) + 2e-5 * random(-0.5..<0.5))
        }
    }

    /// A resonance that moves towards its goal.
    private struct Formant {
        var hertz: Double
        let width: Double
        var goal: Double
        var past = (0.0, 0.0)

        init(hertz: Double, width: Double) {
            self.hertz = hertz
            self.width = width
            goal = hertz
        }

        mutating func filter(_ input: Double, approach: Double, rate: Double) -> Double {
            hertz += approach * (goal - hertz)
            let radius = exp(-.pi * width / rate)
            let output =
                4 * (1 - radius) * input + 2 * radius * cos(2 * .pi * hertz / rate) * past.0 - radius * radius * past.1
            past = (output, past.0)
            return output
        }
    }
}

/// Random numbers that are the same in every run and cost nothing (xorshift, Marsaglia 2003): the system's ask the kernel.
struct Chance: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
