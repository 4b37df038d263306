import CSpeexDSP
import DSP
import Testing

import AudioUnits

@Suite("DC notch")
struct DCNotchTests {
    @Test("With a silent far end, microphone minus SpeexDSP's output is nothing", arguments: [8_000, 16_000, 48_000])
    func likeSpeex(rate: Int) throws {
        let block = rate / 100
        let canceller = try EchoCanceller(blockFrames: block, tailFrames: rate / 10, sampleRate: rate)
        var notch = DCNotch(rate: rate)
        let seed: UInt64 = 3
        let speech = Signals.speechLike(rate: Double(rate), seconds: 2, seed: seed).map { $0 + 0.02 }
        let silence = [Int16](repeating: 0, count: block)
        var rest: Float = 0
        var heard: Float = 0
        for start in stride(from: 0, to: speech.count, by: block) {
            var mine = Array(speech[start..<start + block])
            let microphone = mine.map { SampleConversion.toInt16($0) }
            var output = [Int16](repeating: 0, count: block)
            canceller.process(microphone, reference: silence, into: &output)
            notch.process(&mine, count: block)
            guard start > rate / 2 else { continue }
            for index in 0..<block {
                let difference = mine[index] - SampleConversion.toFloat(output[index])
                rest += difference * difference
                heard += mine[index] * mine[index]
            }
        }
        #expect(Signals.decibels(heard / rest) > 60, "seed \(seed)")
    }

    @Test("The gentle one leaves a low voice's fundamental alone at any rate", arguments: [8_000, 16_000])
    func gentle(rate: Int) {
        var notch = DCNotch(rate: rate, isGentle: true)
        var tone = Signals.sine(100, rate: Double(rate), count: rate)
        notch.process(&tone, count: tone.count)
        #expect(Signals.decibels(8 * Signals.power(tone[(rate / 2)...])) > -1)
    }

    @Test("At three times the rate it is the same filter", arguments: [2, 3])
    func decimated(factor: Int) {
        for hertz in [40.0, 80, 200, 1000, 6000] {
            let levels = [1, factor].map { times -> Float in
                var notch = DCNotch(rate: 16_000 * times, decimated: times)
                var tone = Signals.sine(hertz, rate: Double(16_000 * times), count: 16_000 * times)
                notch.process(&tone, count: tone.count)
                return Signals.power(tone[(8_000 * times)...])
            }
            #expect(abs(Signals.decibels(levels[0] / levels[1])) < 0.1, "\(hertz) Hz")
        }
    }
}
