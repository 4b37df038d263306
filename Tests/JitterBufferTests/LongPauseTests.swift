import Codecs
import JitterBuffer
import Realtime
import Testing

/// A line on which next to nothing comes for days: what arrivals are remembered by does not tell so long times apart.
@Suite struct LongPauseTests {
    @Test(
        "A minute of speech after packets that came so many minutes apart is played as at first",
        arguments: [0.5, 20, 59, 61, 1500], [false, true])
    func pauses(minutes: Double, isClockStill: Bool) throws {
        var line = try Line()
        let before = line.speak(packets: 3000)
        for _ in 0..<40 {
            line.pause(minutes: minutes, isClockStill: isClockStill)
            _ = line.speak(packets: 1)
        }
        line.pause(minutes: minutes, isClockStill: isClockStill)
        let played = line.buffer.statistics.decoded
        let after = line.speak(packets: 3000)
        // A second goes by until a stream that is late as a whole is followed.
        #expect(line.buffer.statistics.decoded - played >= 2900)
        #expect(abs(after - before) < 10, "\(before) ms, then \(after)")
        #expect(line.buffer.isBalanced)
    }

    @Test(
        "A talkspurt is played from its first packet on, although its timestamp stood still through the pause before it",
        arguments: [1.5, 3, 20])
    func clockStandsStill(seconds: Double) throws {
        var line = try Line()
        _ = line.speak(packets: 500)
        line.wait(seconds: seconds)
        let before = line.buffer.statistics
        _ = line.speak(packets: 100, isTalkspurt: true)
        #expect(line.buffer.statistics.decoded - before.decoded >= 95)
        #expect(line.buffer.statistics.resets - before.resets == 1)
        #expect(line.buffer.isBalanced)
    }

    /// PCMU in packets of 20 ms by a clock 100 ppm fast, each up to 3 ms late.
    private struct Line {
        let buffer: JitterBuffer
        private var random = TestRandom(seed: 7)
        private var time = 0.0
        private var sequence: Int64 = 0
        private var timestamp: Int64 = 0
        private let payload = [UInt8](repeating: 0x55, count: 160)

        init() throws { buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000) }

        /// - Parameter isTalkspurt: whether the first packet says so (RTP marker).
        /// - Returns: the mean delay of the last half of what was pulled, in milliseconds.
        mutating func speak(packets: Int, isTalkspurt: Bool = false) -> Double {
            var samples = [Float](repeating: 0, count: 160)
            var delays: [Double] = []
            for index in 0..<packets {
                payload.withUnsafeBytes { bytes in
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: sequence, extendedTimestamp: timestamp, marker: isTalkspurt && index == 0,
                            arrival: HostTime(milliseconds: time + 3 * random.unit()), payload: bytes))
                }
                (sequence, timestamp) = (sequence + 1, timestamp + 160)
                time += 20 * (1 - 100e-6)
                samples.withUnsafeMutableBufferPointer { _ = buffer.pull(into: $0, now: HostTime(milliseconds: time)) }
                if index > packets / 2, let delay = buffer.currentDelayMilliseconds { delays.append(delay) }
            }
            return delays.reduce(0, +) / Double(max(1, delays.count))
        }

        /// Nothing comes, while the player goes on.
        mutating func wait(seconds: Double) {
            var samples = [Float](repeating: 0, count: 160)
            for _ in 0..<Int(seconds * 50) {
                time += 20
                samples.withUnsafeMutableBufferPointer { _ = buffer.pull(into: $0, now: HostTime(milliseconds: time)) }
            }
        }

        mutating func pause(minutes: Double, isClockStill: Bool) {
            time += minutes * 60_000
            if !isClockStill { timestamp += Int64(minutes * 60 * 8000) }
        }
    }
}
