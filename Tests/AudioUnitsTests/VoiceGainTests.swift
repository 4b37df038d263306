import AudioUnits
import Testing

@Suite("Gain control")
struct VoiceGainTests {
    /// Level of the loud half of the 20 ms blocks, in dBFS.
    private func speechLevel(_ samples: ArraySlice<Float>) -> Double {
        let blocks = stride(from: samples.startIndex, to: samples.endIndex - 320, by: 320).map {
            Signals.power(samples[$0..<$0 + 320])
        }.sorted()
        let loud = blocks[(blocks.count / 2)...]
        return Signals.decibels(loud.reduce(0, +) / Float(loud.count))
    }

    @Test("quiet speech comes up to the target, loud speech comes down", arguments: [Float(0.02), 0.35])
    func reachesTheTarget(level: Float) throws {
        let near = Signals.speechLike(rate: 16_000, seconds: 20, level: level, seed: 9)
        let bench = try VoiceBench(rate: 16_000, far: [])
        bench.run(seconds: 20, near: near)
        let heard = speechLevel(bench.collector.samples[(15 * 16_000)...])
        print("AGC: in \(speechLevel(near[(15 * 16_000)...])) dBFS, out \(heard) dBFS")
        #expect((-24.0 ... -14.0).contains(heard))
        #expect(bench.collector.samples.allSatisfy { $0.magnitude <= 0.9 })
    }

    @Test("gain that quiet speech has earned does not lift the echo")
    func doesNotLiftEcho() throws {
        let near = Signals.speechLike(rate: 16_000, seconds: 12, level: 0.015, seed: 9)
        let far =
            [Float](repeating: 0, count: 12 * 16_000) + Signals.speechLike(rate: 16_000, seconds: 12, seed: 3)
        var residuals: [Double] = []
        for control in [false, true] {
            let bench = try VoiceBench(rate: 16_000, far: far) { $0.automaticGainControl = control }
            bench.run(seconds: 12, near: near)
            bench.run(seconds: 12)
            residuals.append(bench.attenuation(from: 19, to: 24))
        }
        print("echo attenuation without and with gain control:", residuals)
        #expect(residuals[1] > residuals[0] - 1)
    }

    @Test("background noise alone earns no gain")
    func noiseEarnsNothing() throws {
        var noise = Noise(seed: 31)
        let near = (0..<160_000).map { _ in noise.next() * 0.01 }
        let bench = try VoiceBench(rate: 16_000, far: []) { $0.noiseSuppression = false }
        bench.run(seconds: 10, near: near)
        #expect(bench.attenuation(from: 5, to: 10) > -1)
    }
}
