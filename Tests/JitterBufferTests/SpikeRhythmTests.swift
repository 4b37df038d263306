import JitterBuffer
import Testing

/// Spikes of 120 ms on a line with 2 ms of jitter: what the target makes of when they come.
@Suite struct SpikeRhythmTests {
    /// Targets above the floor, one a 20 ms packet.
    private func targets(spikesAt starts: [Double], seconds: Double) -> [Double] {
        var history = ArrivalHistory()
        var target = TargetDelay(configuration: JitterBufferConfiguration())
        return (0..<Int(seconds * 50)).map { index in
            let sent = Double(index * 20)
            let since = starts.map { sent - $0 * 1000 }.filter { $0 >= 0 }.min() ?? .infinity
            let delay = since < 120 ? 120 - since : Double(index % 3)
            history.add(delay: delay, weight: 1, at: sent + delay)
            target.update(&history, lossRatio: 0, at: sent + delay)
            return target.aboveFloor
        }
    }

    private func at(_ second: Double, _ targets: [Double]) -> Double { targets[Int(second * 50)] }

    @Test("Even spikes are waited for until the next is due, and let go once it has stayed out", arguments: [2.0, 5])
    func ends(period: Double) {
        let last = 6 * period
        let targets = targets(spikesAt: (1...6).map { Double($0) * period }, seconds: last + 2 * period)
        #expect(at(last + period, targets) > 100)
        #expect(at(last + period + 0.1, targets) < 20)
    }

    @Test("Uneven spikes are remembered beyond the longest interval between them")
    func uneven() {
        let targets = targets(spikesAt: [3, 8, 11, 16, 19, 24], seconds: 33)
        #expect(at(30, targets) > 100)
    }

    @Test("One spike out of time between even ones does not hide that they have ended")
    func stray() {
        let targets = targets(spikesAt: [5, 10, 15, 20, 25, 28, 30], seconds: 40)
        #expect(at(35, targets) > 100)
        #expect(at(35.1, targets) < 20)
    }

    @Test("A spike out of time is remembered when the even ones have ended")
    func strayAfterTheLast() {
        let targets = targets(spikesAt: [5, 10, 15, 20, 25, 28], seconds: 40)
        #expect(at(34, targets) > 100)
    }

    @Test("Several spikes out of time are no rhythm")
    func strays() {
        let targets = targets(spikesAt: [5, 10, 15, 20, 25, 27, 28.5, 30], seconds: 40)
        #expect(at(36, targets) > 100)
    }

    @Test("When spikes come again after they were let go, all that was known of them is known again")
    func again() {
        let targets = targets(spikesAt: [5, 10, 15, 20, 25, 33], seconds: 36)
        #expect(at(32, targets) < 20)
        #expect(at(34, targets) > 100)
    }
}
