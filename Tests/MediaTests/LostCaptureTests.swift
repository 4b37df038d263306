import Media
import Realtime
import Testing

@Suite("Sound that the microphone's buffers lost in a stop") struct LostCaptureTests {
    private let rate = 8000

    /// What the media thread reads: sample `index` was at the microphone at `time` ms.
    private func timing(_ index: Int64, at time: Double) -> StreamTiming {
        StreamTiming(sampleIndex: index, hostTime: HostTime(milliseconds: time), frames: 40)
    }

    private func stop(_ begin: Double, _ end: Double) -> MachineStop {
        MachineStop(begin: HostTime(milliseconds: begin), end: HostTime(milliseconds: end))
    }

    /// What is told of a turn.
    private func tell(
        _ lost: inout LostCapture, _ timing: StreamTiming, stop: MachineStop?, at now: Double
    ) -> Double {
        lost.observe(timing, sampleRate: rate, stop: stop, now: HostTime(milliseconds: now))
        #expect(lost.take(before: timing.sampleIndex) == nil, "what lies before it is whole")
        return lost.take(before: timing.sampleIndex + 1) ?? 0
    }

    /// Two seconds of a microphone whose clock is slow by as many parts per million, to sample 16,000.
    private func run(_ lost: inout LostCapture, drift: Double = 0) -> Double {
        var sum = 0.0
        for block in 0...400 {
            let time = Double(block) * 5 * (1 + drift * 1e-6)
            sum += tell(&lost, timing(Int64(block) * 40, at: time), stop: nil, at: time + 5)
        }
        return sum
    }

    @Test("is what stamps go on by beyond the count, told once")
    func explained() {
        var lost = LostCapture()
        #expect(run(&lost) == 0)
        let stop = stop(2000, 3000)
        // The ring took 341 ms of the second.
        let told = tell(&lost, timing(18_728, at: 3000), stop: stop, at: 3000)
        #expect(abs(told - 659) < 0.01)
        let again = tell(&lost, timing(18_768, at: 3005), stop: stop, at: 3005)
        #expect(again == 0)
    }

    @Test("is believed once its stop is known, and never without one")
    func waits() {
        for isKnown in [true, false] {
            var lost = LostCapture()
            _ = run(&lost)
            var sum = 0.0
            for block in 0..<100 {
                let time = 3000 + Double(block) * 5
                sum += tell(
                    &lost, timing(18_728 + Int64(block) * 40, at: time), stop: isKnown && block >= 10 ? stop(2000, 3001) : nil,
                    at: time)
            }
            #expect(abs(sum - (isKnown ? 659 : 0)) < 0.01)
        }
    }

    @Test("is none where a clock runs apart, stamps go back, or the stop is too short, too old or over before")
    func nothing() {
        var lost = LostCapture()
        #expect(run(&lost, drift: 500) == 0)
        let stops = [(1900.0, stop(1500, 1900)), (2300, stop(2210, 2300)), (2600, stop(2190, 2295)), (4000, stop(2000, 3600))]
        for (time, stop) in stops {
            var lost = LostCapture()
            _ = run(&lost)
            #expect(tell(&lost, timing(16_040, at: time), stop: stop, at: time) == 0)
        }
    }
}
