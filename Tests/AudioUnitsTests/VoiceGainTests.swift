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

    @Test("switched in the middle of a tone it makes no step")
    func switches() throws {
        let near = Signals.speechLike(rate: 16_000, seconds: 12, level: 0.02, seed: 9)
        let tone = Signals.sine(200, rate: 16_000, count: 16_000).map { 0.05 * $0 }
        let bench = try VoiceBench(rate: 16_000, far: []) { $0.noiseSuppression = false }
        bench.run(seconds: 12, near: near)
        bench.run(seconds: 1, near: tone)
        for turn in 0..<6 {
            bench.unit.automaticGainControl = turn % 2 == 1
            bench.run(seconds: 0.21, near: tone)
        }
        let heard = Array(bench.collector.samples[(Int(12.2 * 16_000))...])
        let (steady, switched) = (heard[..<8_000], heard[8_000...])
        func steepest(_ samples: ArraySlice<Float>) -> Float {
            zip(samples.dropFirst(), samples).map { ($0 - $1).magnitude }.max() ?? 0
        }
        let levels = stride(from: switched.startIndex, to: switched.endIndex - 1600, by: 1600).map {
            Signals.power(switched[$0..<$0 + 1600])
        }
        let (low, high) = (levels.min() ?? 0, levels.max() ?? 0)
        #expect(high > 4 * low, "gain control does nothing: \(low) to \(high)")
        #expect(steepest(switched) < 1.2 * steepest(steady), "\(steepest(switched)) of \(steepest(steady))")
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
