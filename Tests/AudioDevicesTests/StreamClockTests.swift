import AudioDevices
import Testing

@Suite struct StreamClockTests {
    @Test func capturedBlocksAreStampedWithWhenTheirFirstFrameWasAtTheMicrophone() {
        var clock = StreamClock(rate: 48_000)
        let first = clock.captured(240, age: 480, at: 1_000_000_000)
        #expect(first.sampleTime == 0 && first.hostTime.nanoseconds == 990_000_000)
        #expect(first.latencyMilliseconds == 10)
        let second = clock.captured(240, age: 480, at: 1_005_000_000)
        #expect(second.sampleTime == 240 && abs(second.hostTime.nanoseconds - 995_000_000) < 10)
    }

    @Test func playedBlocksAreStampedWithWhenTheirFirstFrameWillBeAtTheLoudspeaker() {
        var clock = StreamClock(rate: 48_000)
        let first = clock.plays(240, delay: 960, at: 1_000_000_000)
        #expect(first.sampleTime == 0 && first.hostTime.nanoseconds == 1_020_000_000)
        #expect(first.latencyMilliseconds == 20)
    }

    @Test func jitterOfWhatAServerSaysIsSmoothedAndFramesAreCountedThroughALoss() {
        var clock = StreamClock(rate: 48_000)
        var worst: Int64 = 0
        for block in Int64(0)..<4000 {
            let now = 1_000_000_000 + block * 5_000_000
            let age = 240 + (block % 2 == 0 ? 48 : -48)
            let time = clock.captured(240, age: age, at: now).hostTime.nanoseconds
            if block > 2000 { worst = max(worst, abs(time - (now - 5_000_000))) }
        }
        #expect(worst < 200_000, "\(worst) ns of 1 ms")
        #expect(clock.passes(240, at: 5).sampleTime == 4000 * 240)
        clock.reset()
        let anew = clock.captured(240, age: 240, at: 90_000_000_000)
        #expect(anew.sampleTime == 4001 * 240 && anew.hostTime.nanoseconds == 89_995_000_000)
    }

    @Test func lengthsAreConvertedBothWays() {
        let clock = StreamClock(rate: 44_100)
        #expect(clock.nanoseconds(44_100) == 1_000_000_000 && clock.frames(500_000_000) == 22_050)
    }
}
