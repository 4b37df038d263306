import JitterBuffer
import Realtime
import Testing

/// Both ends stand still at once, so that the sender's time stamps stand still too: a laptop that sleeps, a virtual machine that is
/// paused, with both ends on it.
@Suite struct LongStopTests {
    private let buffer = JitterBuffer(decoder: LevelDecoder(), clockRate: 8000)

    /// - Parameter skipped: packets' lengths that the sender's time stamps went on by without packets.
    private func insert(_ sequence: Int, skipped: Int = 0, at time: Double) {
        LevelPacket.payload().withUnsafeBytes {
            _ = buffer.insert(
                BufferedPacket(
                    extendedSequence: Int64(sequence), extendedTimestamp: Int64((sequence + skipped) * 160),
                    arrival: HostTime(milliseconds: time), payload: $0))
        }
    }

    /// - Returns: milliseconds of sound that wait afterwards.
    @discardableResult private func pull(at time: Double) -> Double {
        var samples = [Float](repeating: 0, count: 80)
        return samples.withUnsafeMutableBufferPointer { buffer.pull(into: $0, now: HostTime(milliseconds: time)).levelMs }
    }

    @Test(
        "What came before a stop of 3 s and waited through it says nothing of the delay afterwards, whenever its kernel noted it",
        arguments: [9998, 10_000, 10_300, 13_000.0])
    func waited(noted: Double) {
        var mostTold = 0.0
        for tick in 0..<2000 {
            // The 500th packet has come, but nothing ran any more.
            if tick == 1000 { continue }
            let time = Double(tick) * 10 + (tick > 1000 ? 3000 : 0)
            if tick == 1001 {
                buffer.excuse(MachineStop(begin: HostTime(milliseconds: 9999), end: HostTime(milliseconds: 13_009)))
                insert(500, at: noted)
            }
            if tick % 2 == 0 { insert(tick / 2, at: time) }
            pull(at: time)
            if tick > 1010 { mostTold = max(mostTold, buffer.delayOfFastestMilliseconds ?? .infinity) }
        }
        #expect(buffer.statistics.late == 0 && buffer.statistics.resets == 0)
        #expect(mostTold < 40, "\(mostTold) ms told")
    }

    @Test("What the sender held through the stop comes at once afterwards, and the delay told is no more than what waits")
    func heldBySender() {
        var toldTooMuch = 0.0
        for tick in 0..<2000 {
            if tick == 1001 { continue }
            let time = Double(tick) * 10 + (tick > 1000 ? 3000 : 0)
            if tick == 1002 {
                buffer.excuse(MachineStop(begin: HostTime(milliseconds: 10_000), end: HostTime(milliseconds: 13_015)))
                for sequence in 501..<516 { insert(sequence, at: time) }
            }
            if tick % 2 == 0 { insert(tick / 2 + (tick > 1000 ? 15 : 0), at: time) }
            let waiting = pull(at: time)
            guard tick > 1002, let told = buffer.delayOfFastestMilliseconds else { continue }
            toldTooMuch = max(toldTooMuch, told - waiting)
        }
        #expect(buffer.statistics.late == 0 && buffer.statistics.resets == 0)
        // A packet waits before it is pulled in parts.
        #expect(toldTooMuch < 25, "\(toldTooMuch) ms more told than waited")
    }

    @Test(
        "A sender whose time stamps go on through the stop: what it held comes once we play on, is given up, and the delay is as before",
        arguments: [0, 1])
    func heldByHonestSender(pulls: Int) {
        var mostLevel = 0.0
        var mostTold = 0.0
        for tick in 0..<2000 {
            let time = Double(tick) * 10 + (tick > 1000 ? 3000 : 0)
            if tick == 1001 {
                buffer.excuse(MachineStop(begin: HostTime(milliseconds: 10_000), end: HostTime(milliseconds: 13_009)))
                for _ in 0..<pulls { pull(at: time) }
                for sequence in 501..<516 { insert(sequence, at: time) }
            }
            if tick % 2 == 0 { insert(tick / 2 + (tick > 1000 ? 15 : 0), skipped: tick > 1000 ? 135 : 0, at: time) }
            let waiting = pull(at: time)
            guard tick > 1003 else { continue }
            mostLevel = max(mostLevel, waiting)
            mostTold = max(mostTold, buffer.delayOfFastestMilliseconds ?? 0)
        }
        // What was about to be played is given up as well.
        #expect(buffer.statistics.late == 0 && buffer.statistics.resets == 0 && (15...16).contains(buffer.statistics.overflow))
        #expect(mostLevel < 45 && mostTold < 45, "\(mostLevel) ms waited, \(mostTold) ms told")
        #expect(buffer.isBalanced)
    }
}
