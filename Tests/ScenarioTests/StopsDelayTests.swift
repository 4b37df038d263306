import Realtime
import Simulation
import Testing

/// What a machine's stops cost in delay as long as they last, and how soon it is given back: three seeds a row.
@Suite("What stops cost, and for how long") struct StopsDelayTests {
    /// What a quiet machine's call has, in milliseconds.
    private static let quiet = 52.0

    private func heard(_ call: OfflineCall, by side: Int, from: Double, to: Double) throws -> Double {
        try #require(call.delay(of: 1 - side, from: from, to: to))
    }

    @Test("both ends stop: at most the longest stop more, later as well, and 5 s after the end none of it", arguments: 1...3)
    func bothEnds(seed: UInt64) throws {
        let call = try standingCall("stops=0.7:4-21,from=10,to=40", seconds: 62, seed: seed)
        for side in 0..<2 {
            for start in [12.0, 26] {
                let during = try heard(call, by: side, from: start, to: start + 14)
                #expect(during <= Self.quiet + 21 + 3, "\(during) ms from \(start) s on")
            }
            let after = try heard(call, by: side, from: 45, to: 61)
            #expect(after <= Self.quiet + 3, "\(after) ms after the stops")
        }
    }

    @Test(
        "one end stops: the other pays the longest stop at most, 5 s after the end none of it, and nothing of its own is late",
        arguments: 1...3)
    func oneEnd(seed: UInt64) throws {
        let call = try standingCall("stops=0.7:4-21,side=a,from=10,to=40", seconds: 62, seed: seed)
        let listener = call.sides[1]
        #expect(listener.silentMilliseconds == 0 && listener.statistics.xruns.playback == 0)
        #expect(listener.statistics.machine?.stops == 0 && listener.statistics.machine?.reserveMilliseconds == 0)
        #expect(listener.statistics.gapsByCause?.machine.count == 0)
        for start in [12.0, 26] {
            let during = try heard(call, by: 1, from: start, to: start + 14)
            #expect(during <= Self.quiet + 21 + 3, "\(during) ms from \(start) s on")
        }
        for (from, to) in [(45.0, 50.0), (50, 61)] {
            let after = try heard(call, by: 1, from: from, to: to)
            #expect(abs(after - Self.quiet) <= 3, "\(after) ms from \(from) s on, after its sender's stops")
        }
        let standing = try heard(call, by: 0, from: 45, to: 61)
        #expect(standing <= Self.quiet + 3, "its own stops are over: \(standing) ms")
    }

    @Test("one end stops: the other's jitter buffer names the sender as long as they go on, and nobody else's does")
    func reason() throws {
        var reasons: [[(time: Double, reason: String?)]] = [[], []]
        _ = try standingCall("stops=0.7:4-21,side=a,from=10,to=40", seconds: 50) { call, time in
            for side in 0..<2 where time > Double(reasons[side].count + 1) {
                reasons[side].append((time, call.sides[side].statistics.bufferTargetReason))
            }
        }
        let (standing, listening) = (reasons[0], reasons[1])
        #expect(standing.count > 45 && standing.allSatisfy { $0.reason == "network" })
        let during = listening.filter { (18..<40).contains($0.time) }
        #expect(during.count { $0.reason == "sender" } >= during.count - 2, "\(during)")
        let calm = listening.filter { $0.time < 10 || $0.time > 47 }
        #expect(calm.count > 10 && calm.allSatisfy { $0.reason == "network" }, "\(calm)")
    }

    @Test(
        "one stop of 60 ms, wherever it falls between two periods: that gap alone, and 5 s later the former delay",
        arguments: [(UInt64(1), 0.0), (2, 1.3), (3, 2.5), (1, 3.7)])
    func oneShortStop(seed: UInt64, milliseconds: Double) throws {
        let call = try standingCall("stop=\(20 + milliseconds / 1000):60", seconds: 40, seed: seed)
        for side in 0..<2 {
            let before = try heard(call, by: side, from: 5, to: 19)
            let after = try heard(call, by: side, from: 25, to: 38)
            #expect(abs(after - Self.quiet) <= 3 && abs(after - before) <= 1, "\(before) ms before it, \(after) ms after it")
            #expect(call.sides[side].statistics.xruns.playback == 1 && call.sides[side].silentMilliseconds <= 60)
            #expect(call.sides[side].statistics.concealedRatio == 0)
        }
    }

    @Test(
        "both ends stop for longer than the microphone's ring holds: afterwards nothing is missing but what waited",
        arguments: [1000.0, 3000])
    func oneLongStop(milliseconds: Double) throws {
        let call = try standingCall("stop=20:\(milliseconds)", seconds: 40)
        for side in 0..<2 {
            let figures = call.sides[side].statistics
            #expect(figures.concealedByReason.values.reduce(0, +) <= 400, "\(figures.concealedByReason)")
            let after = try heard(call, by: side, from: 28, to: 38)
            #expect(abs(after - Self.quiet) <= 3, "\(after) ms")
        }
    }

    @Test("both ends stop for 3 s while their clocks run apart: what follows is whole, and its delay told as it is heard")
    func longStopAmidDrift() throws {
        // Each sender's clock is 100 ppm slow.
        let drift = NetworkTrace(delays: (0..<2000).map { Double($0) * 20 * 100e-6 })
        var most = [0.0, 0]
        let call = try standingCall("stop=20:3000", seconds: 40, trace: drift) { call, time in
            // What the microphones held is played a little late at first, and then given up.
            guard time > 24.5 else { return }
            for side in 0..<2 { most[side] = max(most[side], call.sides[side].statistics.mouthToEarMilliseconds ?? 0) }
        }
        for side in 0..<2 {
            let figures = call.sides[side].statistics
            #expect(figures.packetsLate == 0)
            #expect(figures.concealedByReason.values.reduce(0, +) <= 400, "\(figures.concealedByReason)")
            let after = try heard(call, by: side, from: 28, to: 38)
            #expect(abs(most[side] - after) < 10, "\(most[side]) ms told at most, \(after) ms heard")
        }
    }
}
