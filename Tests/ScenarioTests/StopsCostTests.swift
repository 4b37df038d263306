import Realtime
import Simulation
import Testing

/// One stop longer than the microphone's buffers hold, and many that are hardly noticed: people on both sides speak all the while, so
/// that the delay is heard at any time.
@Suite("What one long stop costs, and stops that no turn notices") struct StopsCostTests {
    /// What a quiet machine's call has, in milliseconds.
    private static let quiet = 52.0

    /// What a side hears and tells, by the time in seconds.
    private struct Figures {
        var times: [Double] = []
        var told: [Double?] = []
        var target: [Double] = []
    }

    private func run(
        _ machine: String, seconds: Double, seed: UInt64
    ) throws -> (call: OfflineCall, figures: [Figures]) {
        var figures = [Figures(), Figures()]
        let call = try standingCall(machine, seconds: seconds, seed: seed, bothSpeak: true) { call, time in
            guard time >= Double(figures[0].times.count) * 0.05 else { return }
            for side in 0..<2 {
                let statistics = call.sides[side].statistics
                figures[side].times.append(time)
                figures[side].told.append(statistics.mouthToEarMilliseconds)
                figures[side].target.append(statistics.bufferTargetMilliseconds ?? 0)
            }
        }
        return (call, figures)
    }

    /// Where what is told is not what is heard: within 10 ms of what was told from 0.35 s before until as much after, for sound takes a
    /// while to be heard, and to be recognised.
    private func untrue(_ call: OfflineCall, _ figures: Figures, by side: Int, from: Double, to: Double) -> [String] {
        figures.times.indices.compactMap { index in
            let time = figures.times[index]
            guard time >= from, time <= to, let heard = call.delay(heardBy: side, at: time) else { return nil }
            let told = figures.told[max(0, index - 7)...min(index + 7, figures.told.count - 1)].compactMap(\.self)
            let isTrue = told.min().map { heard > $0 - 10 } ?? false && told.max().map { heard < $0 + 10 } ?? false
            return isTrue ? nil : "\(time) s: \(heard) ms heard, \(told) told"
        }
    }

    @Test("one end stops for 250 to 600 ms: the other tells what it hears", arguments: [250.0, 400, 600], 1...3)
    func told(milliseconds: Double, seed: UInt64) throws {
        let (call, figures) = try run("stop=12:\(milliseconds),side=a", seconds: 26, seed: seed)
        let untrue = untrue(call, figures[1], by: 1, from: 12 + milliseconds / 1000 + 0.2, to: 25)
        #expect(untrue.isEmpty, "\(untrue)")
    }

    @Test("one end stops for 1 or 3 s: what it held comes too late, and nothing else does", arguments: [1000.0, 3000], 1...3)
    func oneLongStop(milliseconds: Double, seed: UInt64) throws {
        let end = 12 + milliseconds / 1000
        let (call, figures) = try run("stop=12:\(milliseconds),side=a", seconds: end + 10, seed: seed)
        // The microphone's ring holds 341 ms.
        #expect(call.sides[1].statistics.packetsLate ?? 0 <= 18)
        for side in 0..<2 {
            #expect(call.sides[side].statistics.concealedByReason.values.reduce(0, +) <= milliseconds + 30)
            try expectFormerDelay(call, figures[side], by: side, from: end + 0.5, to: end + 9)
        }
    }

    @Test("both ends stop for 3 s: the former delay is back within a second", arguments: 1...10)
    func bothEnds(seed: UInt64) throws {
        let (call, figures) = try run("stop=12:3000", seconds: 19, seed: seed)
        for side in 0..<2 {
            #expect(call.sides[side].statistics.packetsLate ?? 0 <= 1)
            try expectFormerDelay(call, figures[side], by: side, from: 15.5, to: 18)
        }
    }

    /// A vowel is like itself a period later, so one of twenty times may be wrong.
    private func expectFormerDelay(
        _ call: OfflineCall, _ figures: Figures, by side: Int, from: Double, to: Double
    ) throws {
        let heard = stride(from: from, to: to, by: 0.05).compactMap { time in
            call.delay(heardBy: side, at: time).map { (time: time, milliseconds: $0) }
        }
        #expect(heard.count > 20)
        let others = heard.filter { abs($0.milliseconds - Self.quiet) > 5 }
        #expect(others.count * 20 <= heard.count, "heard by \(side): \(others)")
        let untrue = untrue(call, figures, by: side, from: from, to: to)
        #expect(untrue.count * 20 <= heard.count, "\(untrue)")
        let told = zip(figures.times, figures.told).filter { (from...to).contains($0.0) }.map(\.1)
        #expect(told.allSatisfy { $0.map { abs($0 - Self.quiet) <= 5 } ?? false }, "\(told)")
    }

    @Test(
        "stops of 4 to 8 ms, most of which no turn notices: once they are over, what their packets asked for is forgotten at the other end",
        arguments: ["", ",side=a"], 1...4)
    func hardlyNoticed(side: String, seed: UInt64) throws {
        let (call, figures) = try run("stops=0.7:4-8,to=20\(side)", seconds: 40, seed: seed)
        let targets = zip(figures[1].times, figures[1].target).filter { $0.0 > 30 }.map(\.1)
        #expect(targets.max() ?? .infinity <= 3.5, "\(targets.max() ?? .infinity) ms")
        for time in stride(from: 30.0, to: 39, by: 0.25) {
            guard let heard = call.delay(heardBy: 1, at: time) else { continue }
            #expect(abs(heard - Self.quiet) <= 3, "\(heard) ms heard at \(time) s")
        }
    }
}
