import Codecs
import LiveMedia
import Load
import Testing

/// What a machine does to many calls, in virtual time.
@Suite("A machine with many calls") struct StandstillTests {
    private static let calls = 300

    private func open(jitter: Double = 3) throws -> VirtualPort {
        var work = VirtualPort.Work(codec: .pcmu, calls: Self.calls)
        work.jitterMilliseconds = jitter
        let port = try VirtualPort(work)
        port.run(milliseconds: 4000)
        _ = port.takeEvents()
        return port
    }

    private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

    @Test("that stands still for 500 ms: nobody is lost, and two seconds later the delay is what it was")
    func standstill() throws {
        let port = try open()
        let before = port.bufferDelays
        #expect(before.count == Self.calls)
        port.standStill(milliseconds: 500)
        port.run(milliseconds: 2000)
        let after = port.bufferDelays
        #expect(after.count == Self.calls && port.figures.turnsLeftOut == 0)
        #expect(mean(after) < mean(before) + 5, "\(mean(before)) ms before, \(mean(after)) ms after")
        for (one, other) in zip(before, after) { #expect(other < one + 25, "\(one) ms before, \(other) ms after") }
        // Each is sent a packet every 20 ms again.
        let heard = port.fewestHeard
        port.run(milliseconds: 1000)
        #expect(port.fewestHeard - heard >= 49)
        #expect(port.figures.calls == Self.calls)
        for event in port.takeEvents() { if case .ended(let reason, _, _) = event.body { Issue.record("\(reason)") } }
    }

    @Test("that stands still for two seconds leaves turns out, and counts them")
    func long() throws {
        let port = try open()
        port.standStill(milliseconds: 2000)
        port.run(milliseconds: 3000)
        #expect(port.figures.turnsLeftOut > 300 && port.figures.calls == Self.calls)
        let heard = port.fewestHeard
        port.run(milliseconds: 1000)
        #expect(port.fewestHeard - heard >= 49)
        #expect(mean(port.bufferDelays) < 100)
    }

    @Test("whose clock is set forward an hour, and back: nobody hears it")
    func wallClock() throws {
        let port = try open()
        let before = mean(port.bufferDelays)
        for seconds in [3600.0, -7200] {
            port.setWallClock(forwardBySeconds: seconds)
            let heard = port.fewestHeard
            port.run(milliseconds: 6000)
            #expect(port.fewestHeard - heard >= 299)
        }
        #expect(abs(mean(port.bufferDelays) - before) < 5)
        #expect(port.roundTrips.allSatisfy { $0 >= 0 && $0 < 1000 })
        #expect(port.figures.calls == Self.calls && port.figures.turnsLeftOut == 0)
        for event in port.takeEvents() { if case .ended(let reason, _, _) = event.body { Issue.record("\(reason)") } }
    }
}
