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

    private let none = [Float](repeating: 0, count: 161)

    private func mean(_ floor: borrowing NoiseFloor) -> Float { sum(floor.power, count: 161) / 161 }

    @Test("It is the mean power of steady noise within 4 dB, and speech with pauses of 250 ms lifts it by no more")
    func steady() {
        let seed: UInt64 = 3
        var noise = Noise(seed: seed)
        var floor = NoiseFloor(bins: 161)
        for _ in 0..<300 { floor.update(blockPower(&noise, level: 0.01), echo: none) }
        let quiet = Signals.decibels(mean(floor) / 0.01)
        for block in 0..<600 {
            floor.update(blockPower(&noise, level: block % 130 < 105 ? 10 : 0.01), echo: none)
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
        for _ in 0..<200 { floor.update(blockPower(&noise, level: 0.01), echo: none) }
        for _ in 0..<350 { floor.update(blockPower(&noise, level: 1), echo: none) }
        let risen = mean(floor)
        #expect(abs(Signals.decibels(risen)) < 4)
        for _ in 0..<50 { floor.update(blockPower(&noise, level: 0.01), echo: none) }
        let fallen = mean(floor)
        #expect(Signals.decibels(fallen / 0.01) < 4)
    }

    @Test("Digital silence leaves next to nothing")
    func silence() {
        var floor = NoiseFloor(bins: 161)
        for _ in 0..<400 { floor.update([Float](repeating: 0, count: 161), echo: none) }
        let rest = mean(floor)
        #expect(rest < 1e-12)
        #expect(rest >= 0)
    }

    @Test("Four seconds of echo without a pause leave it where it was; as loud a noise that is no echo is followed")
    func echo() {
        var noise = Noise(seed: 5)
        var floor = NoiseFloor(bins: 161)
        for _ in 0..<300 { floor.update(blockPower(&noise, level: 0.01), echo: none) }
        let before = mean(floor)
        let echo = [Float](repeating: 1, count: 161)
        for _ in 0..<400 { floor.update(blockPower(&noise, level: 1), echo: echo) }
        let under = mean(floor)
        #expect(abs(Signals.decibels(under / before)) < 1)
        for _ in 0..<250 { floor.update(blockPower(&noise, level: 1), echo: none) }
        let after = mean(floor)
        #expect(abs(Signals.decibels(after)) < 4)
    }

    @Test("Echo that goes on for ever is noise in the end, and less noise under it is known at once")
    func endless() {
        var noise = Noise(seed: 6)
        var floor = NoiseFloor(bins: 161)
        let echo = [Float](repeating: 1, count: 161)
        for _ in 0..<200 { floor.update(blockPower(&noise, level: 0.01), echo: none) }
        for _ in 0..<700 { floor.update(blockPower(&noise, level: 1), echo: echo) }
        let risen = mean(floor)
        #expect(abs(Signals.decibels(risen)) < 4)
        for _ in 0..<50 { floor.update(blockPower(&noise, level: 0.01), echo: echo) }
        let fallen = mean(floor)
        #expect(Signals.decibels(fallen / 0.01) < 4)
    }
}
