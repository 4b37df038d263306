import Media
import Metrics
import RTP
import Realtime
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

    @Test("does not grow either where the device noticed the stop only after the loop's turn began")
    func raced() throws {
        let capture = try RingEnds<Float>(minimumCapacity: 800)
        let playout = try RingEnds<Float>(minimumCapacity: 800)
        let captureTimes = TripleBuffer(initial: StreamTiming.none)
        let playoutTimes = TripleBuffer(initial: PlayoutTiming(stream: .none, missing: 0))
        var stop: MachineStop?
        let device = DeviceEnd(
            sampleRate: 8000, playoutChannels: 1, captureRing: capture.consumer, playoutRing: playout.producer,
            captureTiming: captureTimes.reader, playoutTiming: playoutTimes.reader, latency: { UnitLatency() },
            machine: {
                var machine = MachineReading()
                machine.lastStop = stop
                return machine
            })
        let loop = MediaLoop(device: device, frameLength: 160)
        let speaker = Speaker(ring: playout.consumer, timing: playoutTimes.writer)
        for time in stride(from: 5.0, through: 500, by: 5) {
            let now = HostTime(milliseconds: time)
            loop.receive(now: now)
            speaker.plays(at: now)
            loop.step(now: now, ntp: NTPTime(unixNanoseconds: now.nanoseconds))
            #expect(speaker.waiting == 40)
        }
        let now = HostTime(milliseconds: 513)
        loop.receive(now: now)
        stop = MachineStop(begin: HostTime(milliseconds: 500), end: now)
        speaker.misses(at: now)
        loop.step(now: now, ntp: NTPTime(unixNanoseconds: now.nanoseconds))
        #expect(speaker.waiting == 40)
    }

    /// A loudspeaker that takes 5 ms at once, moved by hand.
    private final class Speaker {
        private var ring: RingConsumer<Float>
        private var timing: TripleBufferWriter<PlayoutTiming>
        private var block = [Float](repeating: 0, count: 40)
        private var played: Int64 = 0
        private var missing: Int64 = 0

        init(ring: consuming RingConsumer<Float>, timing: consuming TripleBufferWriter<PlayoutTiming>) {
            self.ring = ring
            self.timing = timing
        }

        var waiting: Int { ring.available(wanted: 800) }

        func plays(at now: HostTime) {
            played += Int64(ring.read(into: &block, count: block.count))
            tell(now)
        }

        func misses(at now: HostTime) {
            missing += Int64(block.count)
            tell(now)
        }

        private func tell(_ now: HostTime) {
            let heard = now.advanced(byMilliseconds: 20)
            timing.publish(
                PlayoutTiming(
                    stream: StreamTiming(sampleIndex: played, hostTime: heard, frames: block.count), missing: missing))
        }
    }
}
