import AudioUnits
import Glibc
import Testing

/// Gain control on a whole signal in blocks of 10 ms; `activity` says what echo control would.
private func controlled(
    _ samples: [Float], rate: Int = 16_000, maximum: Double = 30, release: Double = 800,
    activity: (Int) -> NearEndActivity = { _ in NearEndActivity(isFarActive: false, presence: 0) }
) -> (samples: [Float], gains: [Float]) {
    var control = GainControl(
        target: 0.1, maximumGain: Float(Signals.amplitude(decibels: maximum)), releaseMilliseconds: release)
    var output = samples
    var gains: [Float] = []
    let block = rate / 100
    output.withUnsafeMutableBufferPointer { all in
        for start in stride(from: 0, to: all.count - block + 1, by: block) {
            control.process(all.baseAddress! + start, count: block, nearEnd: activity(start / block))
            gains.append(control.gain)
        }
    }
    return (output, gains)
}

@Suite("Gain control as a part")
struct GainControlTests {
    @Test(
        "speech of any usual level is at -20 +- 3 dBFS after three seconds, at any rate",
        arguments: [-45.0, -36, -26, -16], [8_000, 16_000, 32_000, 48_000])
    func reachesTheTarget(level: Double, rate: Int) {
        let speech = Signals.speechLike(
            rate: Double(rate), seconds: 10, level: Float(Signals.amplitude(decibels: level)), seed: 9)
        var noise = Noise(seed: 4)
        let input = speech.map { $0 + noise.next() * Float(Signals.amplitude(decibels: -75)) }
        let output = controlled(input, rate: rate).samples
        for second in [3.0, 6] {
            let part = output[Int(second * Double(rate))..<Int((second + 3.9) * Double(rate))]
            let heard = Signals.decibels(Signals.power(part))
            #expect(abs(heard + 20) < 3, "\(heard) dBFS from \(second) s on, in at \(level)")
        }
    }

    @Test("noise earns no gain: steady, starting, in silence, a tone, clicks", arguments: [1, 2, 3, 4, 5])
    func noiseEarnsNothing(kind: Int) {
        var noise = Noise(seed: UInt64(kind))
        let level = Float(Signals.amplitude(decibels: -60)) * 1.7
        let input = (0..<160_000).map { index -> Float in
            switch kind {
            case 1: noise.next() * level
            case 2: noise.next() * (index < 48_000 ? level * 0.01 : level)
            case 3: index < 48_000 ? 0 : noise.next() * level
            case 4: sinf(Float(index % 16_000) * 0.171) * level
            default: index % 16_000 < 80 ? noise.next() * 0.01 : noise.next() * level * 0.1
            }
        }
        let output = controlled(input)
        #expect(output.gains.allSatisfy { $0 <= 1.0 }, "\(output.gains.max() ?? 0)")
        let lifted = Signals.decibels(Signals.power(output.samples[...]) / Signals.power(input[...]))
        #expect(lifted < 0.1, "\(lifted) dB")
    }

    @Test("gain that was earned is not in force while a block may be echo, from its first sample on")
    func echoIsNotLifted() {
        let speech = Signals.speechLike(rate: 16_000, seconds: 6, level: 0.006, seed: 9)
        let echo = Signals.speechLike(rate: 16_000, seconds: 4, level: 0.003, seed: 2)
        let output = controlled(speech + echo) { block in
            NearEndActivity(isFarActive: block >= 600, presence: 0)
        }
        #expect(output.gains[599] > 4)
        for (index, sample) in output.samples[96_000...].enumerated() {
            #expect(sample.magnitude <= echo[index].magnitude * 1.0001 + 1e-9)
        }
        #expect(output.gains.last == output.gains[599], "what the near end earned is kept")
    }

    @Test("the far end's pauses do not fill with noise: the gain comes back when somebody speaks")
    func noiseInFarPauses() {
        var noise = Noise(seed: 12)
        let level = Float(Signals.amplitude(decibels: -65))
        let speech = Signals.speechLike(rate: 16_000, seconds: 6, level: 0.006, seed: 9)
        let pause = [Float](repeating: 0, count: 64_000)
        let input = (speech + pause + speech).map { $0 + noise.next() * level }
        // The far end speaks in the second and the fourth second of the pause.
        let output = controlled(input) { block in
            NearEndActivity(isFarActive: (700..<800).contains(block) || (900..<1_000).contains(block), presence: 0)
        }
        let noisePower = Signals.power(input[96_000..<160_000])
        let heard = Signals.decibels(Signals.power(output.samples[112_000..<160_000]) / noisePower)
        #expect(abs(heard) < 0.5, "\(heard) dB")
        let voice = Signals.decibels(Signals.power(output.samples[176_000...]))
        #expect(abs(voice + 20) < 3, "\(voice) dBFS")
    }

    @Test("the near end that talks over the far end has its gain")
    func doubleTalkIsLifted() {
        let speech = Signals.speechLike(rate: 16_000, seconds: 12, level: 0.01, seed: 9)
        let output = controlled(speech) { NearEndActivity(isFarActive: $0 >= 600, presence: $0 >= 600 ? 0.9 : 0) }
        let heard = Signals.decibels(Signals.power(output.samples[112_000...]))
        #expect(abs(heard + 20) < 3, "\(heard) dBFS")
    }

    @Test("the release is the time for 10 dB, the most gain is never passed")
    func settings() {
        let speech = Signals.speechLike(rate: 16_000, seconds: 20, level: 0.003, seed: 9)
        let slow = controlled(speech, maximum: 18, release: 8_000).gains
        let limit = Float(Signals.amplitude(decibels: 18))
        #expect(slow.allSatisfy { $0 <= limit * 1.0001 })
        // 1.2 s at five decibels a second, then 1.25 dB a second of speech, which is not all of the time.
        let risen = Signals.decibels(slow[999] * slow[999])
        #expect(risen > 6 && risen < 18, "\(risen) dB after 10 s")
        #expect(abs(slow[1_999] / limit - 1) < 0.01)
    }

    @Test("loud speech after quiet comes down within a second")
    func comesDown() {
        let quiet = Signals.speechLike(rate: 16_000, seconds: 8, level: 0.006, seed: 9)
        let loud = Signals.speechLike(rate: 16_000, seconds: 5, level: 0.2, seed: 10)
        let output = controlled(quiet + loud)
        let heard = Signals.decibels(Signals.power(output.samples[(9 * 16_000)...]))
        #expect(heard < -15, "\(heard) dBFS")
    }

    @Test("what is no number becomes silence, and speech after it has its gain", arguments: [Float.nan, .infinity, 3e38])
    func badInput(value: Float) {
        var input = Signals.speechLike(rate: 16_000, seconds: 8, level: 0.03, seed: 9)
        for index in stride(from: 16_000, to: 32_000, by: 7) { input[index] = index % 2 == 0 ? value : -value }
        let output = controlled(input) { NearEndActivity(isFarActive: $0 % 50 == 0, presence: .nan) }
        #expect(output.samples.allSatisfy { $0.isFinite && $0.magnitude < 100 })
        let heard = Signals.decibels(Signals.power(output.samples[96_000...]))
        #expect(abs(heard + 20) < 4, "\(heard) dBFS")
    }
}
