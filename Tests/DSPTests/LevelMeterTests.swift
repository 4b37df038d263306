import DSP
import Glibc
import Testing

@Suite struct LevelMeterTests {
    private func meter(_ signal: [Float], block: Int = 160) -> LevelMeter {
        var meter = LevelMeter(sampleRate: 16_000)
        signal.withUnsafeBufferPointer { all in
            for start in stride(from: 0, to: all.count, by: block) {
                meter.add(UnsafeBufferPointer(rebasing: all[start..<min(start + block, all.count)]))
            }
        }
        return meter
    }

    @Test("A full-scale square is 0 dBov and a full-scale sine 3 dB less")
    func knownLevels() {
        let square = (0..<48_000).map { Float($0 % 20 < 10 ? 1 : -1) }
        #expect(abs(meter(square).levelDBov) < 0.01)
        let sine = Signals.tone(1_000, rate: 16_000, count: 48_000).map { $0 * 2 }
        #expect(abs(meter(sine).levelDBov + 3.01) < 0.02)
        #expect(abs(meter(sine.map { $0 * 0.001 }).levelDBov + 63.01) < 0.02)
    }

    @Test("Silence, and nothing at all, is the floor of -127 dBov")
    func silenceIsTheFloor() {
        #expect(meter([]).levelDBov == -127)
        #expect(meter([Float](repeating: 0, count: 16_000)).levelDBov == -127)
        #expect(meter([Float](repeating: 1e-12, count: 160_000)).levelDBov == -127)
    }

    @Test("Louder than full scale shows as 0 dBov")
    func neverAboveZero() {
        #expect(meter([Float](repeating: 8, count: 16_000)).levelDBov == 0)
    }

    @Test("300 ms after a step the mean power is 63 % there, whatever the block size", arguments: [16, 160, 960])
    func followsItsTimeConstant(block: Int) {
        let level = meter([Float](repeating: 1, count: 4_800), block: block).levelDBov
        // 10 log10(1 - 1/e)
        #expect(abs(level + 1.99) < 0.02, "\(level)")
    }

    @Test("What is louder than the floor of activity counts as speech, what is quieter does not")
    func knowsPauses() {
        func square(_ dBov: Double) -> [Float] { [Float](repeating: Float(pow(10, dBov / 20)), count: 4_800) }
        #expect(meter(square(LevelMeter.activeFloorDBov - 0.1)).activeLevelDBov == nil)
        let level = meter(square(LevelMeter.activeFloorDBov + 0.1)).activeLevelDBov ?? 0
        #expect(abs(level - LevelMeter.activeFloorDBov - 0.1) < 0.01, "\(level)")
    }

    @Test("The peak is the largest magnitude since it was reset")
    func keepsThePeak() {
        var meter = meter([0.1, -0.75, 0.5])
        #expect(meter.peak == 0.75)
        meter.resetPeak()
        #expect(meter.peak == 0)
    }

    @Test(
        "Samples that are not numbers leave no trace",
        arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude])
    func ignoresBadSamples(bad: Float) {
        var meter = meter([Float](repeating: 0.5, count: 48_000))
        let before = (meter.levelDBov, meter.peak)
        [0.5, bad, 0.5].withUnsafeBufferPointer { meter.add($0) }
        #expect((meter.levelDBov, meter.peak) == before)
    }
}
