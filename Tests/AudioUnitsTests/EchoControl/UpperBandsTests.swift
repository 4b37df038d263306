import DSP
import Testing

import AudioUnits

@Suite("Bands over those of 16 kHz")
struct UpperBandsTests {
    /// Power between two frequencies, of blocks of 20 ms.
    private func power(_ samples: ArraySlice<Float>, rate: Int, from low: Int, to high: Int) throws -> Float {
        let fft = try RealFFT(length: rate / 50)
        var spectrum = [Complex](repeating: Complex(), count: fft.bins)
        var total: Float = 0
        let all = Array(samples)
        for start in stride(from: 0, to: all.count - rate / 50, by: rate / 50) {
            fft.forward(Array(all[start..<start + rate / 50]), into: &spectrum)
            for bin in (low / 50)..<(high / 50) { total += spectrum[bin].power }
        }
        return total
    }

    @Test(
        "In double talk the echo between 7 and 7.8 kHz is cancelled, where the decimator already falls off",
        arguments: [32_000, 48_000])
    func nearTheEdge(rate: Int) throws {
        let seed: UInt64 = 4
        let scene = try EchoScene(rate: rate)
        var noise = Noise(seed: seed)
        let far = (0..<10 * rate).map { _ in noise.next() * 0.1 }
        // A voice without anything up there.
        let voice = Signals.speechLike(rate: 8_000, seconds: 4, level: 0.1, seed: 29)
        let near = [Float](repeating: 0, count: 6 * rate) + (try Resampler.whole(voice, from: 8_000, to: rate))
        scene.run(far: far, near: near + [Float](repeating: 0, count: max(0, far.count - near.count)))
        let before = try power(scene.slice(scene.microphone, 7, 9.5), rate: rate, from: 7_100, to: 7_700)
        let after = try power(scene.slice(scene.output, 7, 9.5), rate: rate, from: 7_100, to: 7_700)
        let presence = scene.readings[700..<950].map(\.nearEndPresence).reduce(0, +) / 250
        print("At \(rate) Hz: \(Signals.decibels(before / after)) dB from 7.1 to 7.7 kHz, near end \(presence)")
        #expect(presence > 0.3, "seed \(seed)")
        #expect(Signals.decibels(before / after) > 12, "seed \(seed)")
    }
}
