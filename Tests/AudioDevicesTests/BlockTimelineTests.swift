import AudioDevices
import Testing

@Suite struct BlockTimelineTests {
    @Test func jitterOfABlockLengthIsSmoothedAndTheRateFound() {
        var timeline = BlockTimeline(rate: 48_000)
        var noise = SeededNoise(seed: 11)
        let ppm = 80.0
        var exact = 5e9
        var worst = 0.0
        for block in 0..<24_000 {  // two minutes of 5 ms blocks
            let jitter = Double(noise.next()) * 1.4e6
            let time = timeline.time(measured: Int64(exact + jitter), frames: 240)
            if block > 12_000 { worst = max(worst, abs(Double(time) - exact)) }
            exact += 5e6 * (1 + ppm * 1e-6)
        }
        #expect(worst < 0.4e6, "worst \(worst) ns")
        let found = (timeline.nanosecondsPerFrame / (1e9 / 48_000) - 1) * 1e6
        #expect(abs(found - ppm) < 25, "found \(found) ppm")
    }

    @Test func aJumpIsFollowedAtOnce() {
        var timeline = BlockTimeline(rate: 48_000)
        for block in 0..<100 { _ = timeline.time(measured: Int64(block) * 5_000_000, frames: 240) }
        let late = Int64(100) * 5_000_000 + 250_000_000
        #expect(timeline.time(measured: late, frames: 240) == late)
    }

    @Test func extremeTimesDoNotTrap() {
        var timeline = BlockTimeline(rate: 8_000)
        for time in [Int64.min, .max, 0, .max, -1, .min] { _ = timeline.time(measured: time, frames: 80) }
        timeline.reset()
        #expect(timeline.time(measured: 77, frames: 80) == 77)
    }
}
