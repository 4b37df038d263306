import Testing

import AudioUnits

@Suite("Noise floor")
struct NoiseFloorTests {
    private func blockPower(_ noise: inout Noise, level: Float) -> [Float] {
        // Exponentially distributed, as the power of a bin of noise is.
        (0..<161).map { _ in
            let (a, b) = (noise.next(), noise.next())
            return level * 1.5 * (a * a + b * b)
        }
    }

    private func mean(_ floor: borrowing NoiseFloor) -> Float { sum(floor.power, count: 161) / 161 }

    @Test("It is the mean power of steady noise within 4 dB, and speech with pauses of 250 ms lifts it by no more")
    func steady() {
        let seed: UInt64 = 3
        var noise = Noise(seed: seed)
        var floor = NoiseFloor(bins: 161)
        for _ in 0..<300 { floor.update(blockPower(&noise, level: 0.01)) }
        let quiet = Signals.decibels(mean(floor) / 0.01)
        for block in 0..<600 {
            floor.update(blockPower(&noise, level: block % 130 < 105 ? 10 : 0.01))
        }
        let spoken = Signals.decibels(mean(floor) / 0.01)
        print("Noise floor: steady noise", quiet, "dB, under speech", spoken, "dB")
        #expect(abs(quiet) < 4, "seed \(seed)")
        #expect(abs(spoken - quiet) < 5, "seed \(seed)")
    }

    @Test("Louder noise is followed within 3.5 s, quieter noise within half a second")
    func follows() {
        var noise = Noise(seed: 9)
        var floor = NoiseFloor(bins: 161)
        for _ in 0..<200 { floor.update(blockPower(&noise, level: 0.01)) }
        for _ in 0..<350 { floor.update(blockPower(&noise, level: 1)) }
        let risen = mean(floor)
        #expect(abs(Signals.decibels(risen)) < 4)
        for _ in 0..<50 { floor.update(blockPower(&noise, level: 0.01)) }
        let fallen = mean(floor)
        #expect(Signals.decibels(fallen / 0.01) < 4)
    }

    @Test("Digital silence leaves next to nothing")
    func silence() {
        var floor = NoiseFloor(bins: 161)
        for _ in 0..<400 { floor.update([Float](repeating: 0, count: 161)) }
        let rest = mean(floor)
        #expect(rest < 1e-12)
        #expect(rest >= 0)
    }
}
