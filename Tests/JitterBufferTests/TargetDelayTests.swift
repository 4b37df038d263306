import JitterBuffer
import Testing

@Suite struct TargetDelayTests {
    /// Feeds one delay per 20 ms and returns the target above the floor at the end.
    private func target(
        latency: LatencyProfile = .balanced, seconds: Double = 60, loss: Double = 0,
        delay: (_ index: Int) -> [(delay: Double, weight: Double)]
    ) -> Double {
        settled(latency: latency, seconds: seconds, loss: loss, delay: delay).aboveFloor
    }

    private func settled(
        latency: LatencyProfile = .balanced, minimum: Double = 0, seconds: Double = 60, loss: Double = 0,
        delay: (_ index: Int) -> [(delay: Double, weight: Double)]
    ) -> TargetDelay {
        var history = ArrivalHistory()
        var target = TargetDelay(configuration: JitterBufferConfiguration(latency: latency, minimumDelayMs: minimum))
        for index in 0..<Int(seconds * 50) {
            let time = Double(index * 20)
            for event in delay(index) { history.add(delay: event.delay, weight: event.weight, at: time) }
            target.update(&history, lossRatio: loss, at: time)
        }
        return target
    }

    @Test("With equal delays the target is the floor and 2 ms")
    func equal() {
        #expect(target { _ in [(40, 1)] } <= 4)
    }

    @Test("When one content in ten comes a packet later, as a copy, the target waits for it")
    func copies() {
        let value = target(loss: 0.1) { $0 % 10 == 9 ? [(60, 0.7)] : [(40, 1)] }
        #expect((20...25).contains(value))
    }

    @Test("Nothing costs less than the target; below the bound, and below the floor, nothing is to be had")
    func costs() {
        for loss in [0, 0.1] {
            let target = settled(loss: loss) { $0 % 10 == 9 ? [(60, 0.7)] : [(Double($0 % 7), 1)] }
            let best = target.cost(of: target.aboveFloor)
            for step in -20...20 { #expect(target.cost(of: target.aboveFloor + Double(step)) >= best) }
            #expect(target.cost(of: target.aboveFloor - 10) > best + 100)
            #expect((best + 9...best + 11).contains(target.cost(of: target.aboveFloor + 10)))
            for absurd in [-1, -1e300, .infinity, -.infinity, .nan] { #expect(target.cost(of: absurd) == .infinity) }
            #expect(target.cost(of: 1e300) > 1e299)
        }
        let bounded = settled(minimum: 40) { _ in [(0, 1)] }
        #expect(bounded.cost(of: 39) == .infinity && bounded.cost(of: 40) < 100)
    }

    @Test("An outage of 1.7 s after 30 s of calm moves it by less than 30 ms")
    func outage() {
        let value = target(seconds: 33) { index in
            let since = Double(index * 20) - 30_000
            return since >= 0 && since < 1700 ? [(40 + 1700 - since, 1)] : [(40, 1)]
        }
        #expect(value < 34)
    }

    @Test("After a call's first spike worse is expected, unless content is late because it was repaired")
    func firstSpike() {
        func spike(_ index: Int) -> [(delay: Double, weight: Double)] {
            [(index >= 80 && index < 85 ? Double(180 - index) : 0, 1)]
        }
        #expect((110...150).contains(target(seconds: 2, delay: spike)))
        #expect((90...110).contains(target(seconds: 2, loss: 0.05, delay: spike)))
    }

    @Test("The price of loss orders the profiles")
    func profiles() {
        func spikes(_ index: Int) -> [(delay: Double, weight: Double)] {
            [(index % 250 < 6 ? 120 - 20 * Double(index % 250) : Double(index % 3), 1)]
        }
        let low = target(latency: .low, delay: spikes)
        let robust = target(latency: .robust, delay: spikes)
        #expect(low < 20)
        #expect(robust > 100)
    }

    @Test("A spread is covered, and forgotten when the line has been calm")
    func forgets() {
        func delay(_ index: Int) -> [(delay: Double, weight: Double)] {
            [(index < 1500 ? Double(index * 7 % 60) : 0, 1)]
        }
        #expect(target(seconds: 30, delay: delay) > 55)
        #expect(target(seconds: 100, delay: delay) < 20)
    }

    @Test("Bounds are kept")
    func bounds() {
        var configuration = JitterBufferConfiguration(minimumDelayMs: 50, maximumDelayMs: 80)
        var history = ArrivalHistory()
        var target = TargetDelay(configuration: configuration)
        history.add(delay: 0, weight: 1, at: 0)
        target.update(&history, lossRatio: 0, at: 0)
        #expect(target.aboveFloor == 50)
        configuration = JitterBufferConfiguration(minimumDelayMs: .nan, maximumDelayMs: .infinity)
        #expect(configuration.minimumDelayMs == 0 && configuration.maximumDelayMs == 500)
        configuration.maximumDelayMs = 5000
        #expect(configuration.maximumDelayMs == 1000)
    }

    @Test("A floor that falls or rises by seconds leaves the history sound")
    func wildFloor() {
        var history = ArrivalHistory()
        var target = TargetDelay(configuration: JitterBufferConfiguration())
        for (index, delay) in [0, 5000, -3000, 1e9, -1e9, .nan, .infinity, 12].enumerated() {
            for repeated in 0..<200 {
                let time = Double(index * 200 + repeated) * 20
                history.add(delay: delay, weight: 1, at: time)
                target.update(&history, lossRatio: 0, at: time)
                #expect((0...500).contains(target.aboveFloor))
            }
        }
    }
}
