import JitterBuffer
import Realtime
import Testing

@Suite struct DelayManagerTests {
    private let axis = StreamAxis(
        clockRate: 8000, sampleRate: 8000, hostEpoch: HostTime(milliseconds: 0), timestamp: 0,
        arrival: HostTime(milliseconds: 0), delay: 0)

    /// - Parameter delay: of each packet in milliseconds; nil is lost.
    private func manager(
        packets: Int, tuning: JitterBufferTuning = JitterBufferTuning(), delay: (Int) -> Double?
    ) -> DelayManager {
        var configuration = JitterBufferConfiguration()
        configuration.tuning = tuning
        var delays = DelayManager(configuration: configuration)
        for sequence in 0..<packets {
            guard let delay = delay(sequence) else { continue }
            let packet = LevelPacket.stored(Int64(sequence), arrival: Double(sequence) * 20 + delay)
            delays.learn(from: packet, axis: axis, concealsItself: false)
        }
        return delays
    }

    @Test("The floor is the fastest packet, the mean what is usual, and the start waits until the line is known")
    func floor() {
        let delays = manager(packets: 200) { $0 % 2 == 0 ? 30 : 40 }
        let (floor, mean) = (delays.floor ?? .nan, delays.mean ?? .nan)
        #expect(abs(floor - 30) < 0.1 && abs(mean - 35) < 1)
        let (known, unknown) = (delays.startDelay(afterEvents: 50), delays.startDelay(afterEvents: 1000))
        let target = delays.target.aboveFloor
        #expect(known == target && unknown == 10)
        let (last, next) = (delays.hasSeen(199), delays.hasSeen(200))
        #expect(last && !next)
    }

    @Test("Lost packets are seen, and make the target another one")
    func loss() {
        let whole = manager(packets: 500) { _ in 30 }.target
        let lossy = manager(packets: 500) { $0 % 10 == 5 ? nil : 30 }.target
        #expect(!whole.hasLoss && lossy.hasLoss)
    }

    @Test("What a sweep sets reaches the part it belongs to")
    func sweep() throws {
        var tuning = JitterBufferTuning()
        try tuning.set("target.leastMargin", to: 30)
        let usual = manager(packets: 200) { _ in 30 }.target.aboveFloor
        let swept = manager(packets: 200, tuning: tuning) { _ in 30 }.target.aboveFloor
        #expect(abs(swept - usual - 28) < 0.01)
    }

    /// What is known after a stop of ours at 22 s. Until then the sender's clock is 400 ppm slow, and afterwards right, so that
    /// everything remembered is seen anew.
    /// - Parameters:
    ///   - seconds: after the stop.
    ///   - senderStood: for how long the sender's time stamps stood still with us, in milliseconds.
    ///   - jitter: of each packet before the stop, in milliseconds.
    /// - Returns: the drift before the stop, the lowest floor and mean after it, and the target at the end.
    private func stopped(
        seconds: Double, senderStood: Double, jitter: (Int) -> Double
    ) -> (drift: Double?, lowest: (floor: Double, mean: Double), target: Double) {
        let stop = 1100
        var delays = DelayManager()
        var drift: Double?
        var lowest = (floor: Double.infinity, mean: Double.infinity)
        for sequence in 0..<(stop + Int(seconds * 50)) {
            if sequence == stop {
                drift = delays.driftPPM
                delays.standStill(milliseconds: 3000)
            }
            let delay = 30 + 400e-6 * 20 * Double(min(sequence, stop)) + (sequence < stop ? jitter(sequence) : senderStood)
            let packet = LevelPacket.stored(Int64(sequence), arrival: Double(sequence) * 20 + delay)
            delays.learn(from: packet, axis: axis, concealsItself: false)
            guard sequence >= stop else { continue }
            lowest.floor = min(lowest.floor, delays.floor ?? -.infinity)
            lowest.mean = min(lowest.mean, delays.mean ?? -.infinity)
        }
        return (drift, lowest, delays.target.aboveFloor)
    }

    @Test("After a long stop floor and mean are those of what came afterwards, also once another drift is known")
    func floorAfterStop() throws {
        let known = stopped(seconds: 14, senderStood: 3000) { _ in 0 }
        #expect(try #require(known.drift) < -390)
        #expect(known.lowest.floor > 3030 && known.lowest.mean > 3030)
    }

    @Test("A long stop leaves known how delays spread, also once another drift is known")
    func spreadAfterStop() throws {
        let known = stopped(seconds: 7, senderStood: 0) { Double($0 * 7 % 60) }
        #expect(try #require(known.drift) < -390)
        #expect(known.target > 30)
    }
}
