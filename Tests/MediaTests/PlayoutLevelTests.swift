import Media
import Testing

@Suite("The play-out ring's level") struct PlayoutLevelTests {
    @Test("is the largest block the device asks for")
    func block() {
        var level = PlayoutLevel(sampleRate: 48_000)
        #expect(level.target == 0)
        #expect(level.observe(frames: 480, missing: 0, elapsedMilliseconds: 10) == 0)
        #expect(level.target == 480)
        _ = level.observe(frames: 960, missing: 0, elapsedMilliseconds: 10)
        #expect(level.target == 960)
    }

    @Test("forgets a large block slowly")
    func forgets() {
        var level = PlayoutLevel(sampleRate: 48_000)
        _ = level.observe(frames: 4800, missing: 0, elapsedMilliseconds: 10)
        for _ in 0..<100 { _ = level.observe(frames: 480, missing: 0, elapsedMilliseconds: 10) }
        #expect((4200...4800).contains(level.target))
        for _ in 0..<6000 { _ = level.observe(frames: 480, missing: 0, elapsedMilliseconds: 10) }
        #expect((480...500).contains(level.target))
    }

    @Test("grows by a margin after a shortfall, up to a bound, and gives it back slowly")
    func margin() {
        var level = PlayoutLevel(sampleRate: 8000)
        _ = level.observe(frames: 80, missing: 0, elapsedMilliseconds: 10)
        #expect(level.observe(frames: 80, missing: 30, elapsedMilliseconds: 10) == 30)
        #expect(level.target == 120)
        // The count is a running one: the same figure is no new shortfall.
        #expect(level.observe(frames: 80, missing: 30, elapsedMilliseconds: 10) == 0)
        for missing in 2..<100 { _ = level.observe(frames: 80, missing: Int64(missing) * 30, elapsedMilliseconds: 10) }
        #expect(level.target <= 80 + 60 * 8)
        #expect(level.target > 80 + 55 * 8)
        for _ in 0..<40_000 { _ = level.observe(frames: 80, missing: 99 * 30, elapsedMilliseconds: 10) }
        #expect(level.target == 80)
    }

    @Test("does not grow because the whole machine stood still")
    func stop() {
        var level = PlayoutLevel(sampleRate: 8000)
        _ = level.observe(frames: 80, missing: 0, elapsedMilliseconds: 10)
        #expect(level.observe(frames: 80, missing: 30, elapsedMilliseconds: 60, isStopFelt: true) == 30)
        #expect(level.target == 80)
        #expect(level.observe(frames: 80, missing: 50, elapsedMilliseconds: 10) == 20)
        #expect(level.target == 120)
    }
}
