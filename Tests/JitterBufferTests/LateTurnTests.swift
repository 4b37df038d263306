import JitterBuffer
import Realtime
import Testing

/// This machine's turns are late now and then, by less than a stop.
@Suite struct LateTurnTests {
    /// - Parameter excuses: what the machine was late by where packets came 2.8 ms late, from when until when, in milliseconds before their
    ///   arrival.
    /// - Returns: the target of the delay above the fastest packets', in milliseconds.
    private func target(excuses: (begin: Double, end: Double)?) -> Double {
        let buffer = JitterBuffer(decoder: LevelDecoder(), clockRate: 8000)
        var target = 0.0
        for number in 0..<1000 {
            let isLate = number % 10 == 9
            let time = Double(number) * 20 + (isLate ? 2.8 : 0)
            if isLate, let excuses {
                buffer.excuse(
                    MachineStop(
                        begin: HostTime(milliseconds: time - excuses.begin), end: HostTime(milliseconds: time - excuses.end)))
            }
            LevelPacket.payload().withUnsafeBytes {
                _ = buffer.insert(
                    BufferedPacket(
                        extendedSequence: Int64(number), extendedTimestamp: Int64(number * 160),
                        arrival: HostTime(milliseconds: time), payload: $0))
            }
            var samples = [Float](repeating: 0, count: 160)
            let now = HostTime(milliseconds: Double(number) * 20 + 5)
            target = samples.withUnsafeMutableBufferPointer { buffer.pull(into: $0, now: now).targetMs }
        }
        return target
    }

    @Test("what came meanwhile is not held against the network") func excused() {
        let (unexcused, excused) = (target(excuses: nil), target(excuses: (2.8, 0)))
        #expect(excused < unexcused - 1, "\(excused) ms, \(unexcused) ms without")
    }

    @Test("what came long after one is") func passed() {
        #expect(target(excuses: (9.8, 7)) == target(excuses: nil))
    }
}
