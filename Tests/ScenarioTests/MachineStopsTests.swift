import Metrics
import Realtime
import Reporting
import Simulation
import Testing

/// A call whose machine stands still, in virtual time.
func standingCall(_ machine: String, seconds: Double = 30, seed: UInt64 = 1) throws -> OfflineCall {
    var plan = try quietPlan(seconds: seconds, seed: seed)
    plan.periodMilliseconds = 5
    plan.machine = try MachineConditions(parsing: machine)
    let call = try OfflineCall(plan)
    try call.run()
    return call
}

@Suite("A machine that stands still") struct MachineStopsTests {
    private func failure(_ text: String) -> MachineConditionsError? {
        do {
            _ = try MachineConditions(parsing: text)
            return nil
        } catch { return error }
    }

    @Test func everyKeyIsRead() throws {
        let read = try MachineConditions(parsing: "stop=30:60,side=b,to=90,stops=0.7:4-21,stop=50:3000,from=10")
        var expected = MachineConditions()
        expected.recurring = .init(everySeconds: 0.7, milliseconds: 4...21)
        expected.singles = [.init(atSeconds: 30, milliseconds: 60), .init(atSeconds: 50, milliseconds: 3000)]
        expected.window = 10...90
        expected.place = .b
        #expect(read == expected)
        #expect(try MachineConditions(parsing: "stops=2:5").recurring?.milliseconds == 5...5)
    }

    @Test(
        "what makes no sense is refused with key and value",
        arguments: [
            "stops=", "stops=4-21", "stops=0:4", "stops=1:0", "stops=1:9-4", "stops=1:501", "stops=1:4-5-6", "stops=nan:4",
            "stops=1:inf", "stop=3", "stop=-1:5", "stop=1:0", "stop=1:1e9", "side=both", "side=c", "from=-1", "to=x",
        ])
    func badValues(text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard case .badValue(parts[0], parts[1], _) = failure(text) else {
            Issue.record("\(text): \(String(describing: failure(text)))")
            return
        }
    }

    @Test func unknownAndRepeatedKeysAreNamed() {
        #expect(failure("") == .unknownKey(""))
        #expect(failure("stall=1:2") == .unknownKey("stall"))
        #expect(failure("side=a,side=b") == .repeatedKey("side"))
        #expect(failure("from=9,to=3") != nil)
    }

    @Test func thePlanFollowsTheSeedAndTheBounds() throws {
        let conditions = try MachineConditions(parsing: "stops=0.7:4-21,from=5,to=65")
        let plan = MachineStops(conditions, seconds: 120, seed: 3)
        #expect(plan.stops == MachineStops(conditions, seconds: 120, seed: 3).stops)
        #expect(plan.stops != MachineStops(conditions, seconds: 120, seed: 4).stops)
        #expect((60...115).contains(plan.stops.count))
        for stop in plan.stops {
            #expect(stop.begin >= HostTime(milliseconds: 5000) && stop.begin <= HostTime(milliseconds: 65_000))
            #expect(plan.resumption(of: stop.begin) == stop.end)
            #expect(plan.resumption(of: stop.end) == stop.end)
            let before = HostTime(nanoseconds: stop.begin.nanoseconds - 1)
            #expect(plan.resumption(of: before) == before)
        }
        for (stop, next) in zip(plan.stops, plan.stops.dropFirst()) { #expect(stop.end < next.begin) }
    }

    @Test func stopsThatMeetAreOne() throws {
        let plan = MachineStops(
            try MachineConditions(parsing: "stop=1:500,stop=1.2:100,stop=1.5:250,stop=3:10"), seconds: 9, seed: 1)
        let ends = plan.stops.map { [$0.begin.milliseconds(since: .zero), $0.end.milliseconds(since: .zero)] }
        #expect(ends == [[1000, 1750], [3000, 3010]])
    }

    @Test func theSameSeedGivesTheSameCall() throws {
        let runs = try [1, 1, 2].map { try standingCall("stops=0.7:4-21", seconds: 12, seed: $0) }
        #expect(runs[0].report.json == runs[1].report.json)
        #expect(runs[0].sides.map(\.heard) == runs[1].sides.map(\.heard))
        #expect(runs[0].sides[0].heard != runs[2].sides[0].heard)
    }

    @Test("devices with buffers, quiet: the ledger is what is heard, and nothing is missing")
    func quietMachine() throws {
        let call = try standingCall("stops=86400:1", seconds: 20)
        for side in 0..<2 {
            let figures = call.sides[side].statistics
            let heard = try #require(call.delay(of: 1 - side, from: 10))
            let told = try #require(figures.mouthToEarMilliseconds)
            #expect((45...62).contains(heard), "\(heard) ms heard")
            #expect(abs(told - heard) < 2, "\(told) ms told, \(heard) ms heard")
            #expect(call.sides[side].silentMilliseconds == 0 && figures.xruns.playback == 0)
        }
    }

    /// What the quiet machine of `quietMachine` has, in milliseconds.
    private static let quiet = 52.0

    @Test(
        "both ends stop, every 0.7 s: the delay is the quiet one and the longest stop at most, told as it is heard",
        arguments: [("4-12", 12.0, UInt64(1)), ("4-21", 21, 1), ("4-21", 21, 2), ("4-21", 21, 3)])
    func manyStops(lengths: String, longest: Double, seed: UInt64) throws {
        let call = try standingCall("stops=0.7:\(lengths)", seconds: 60, seed: seed)
        for side in 0..<2 {
            let figures = call.sides[side].statistics
            #expect(call.sides[side].silentMilliseconds < 40)
            #expect((figures.concealedRatio ?? 1) < 0.002)
            for start in [20.0, 40] {
                let heard = try #require(call.delay(of: 1 - side, from: start, to: start + 18))
                #expect(heard <= Self.quiet + longest + 3, "\(heard) ms heard after \(start) s")
            }
            let told = try #require(figures.mouthToEarMilliseconds)
            let heard = try #require(call.delay(of: 1 - side, from: 45))
            #expect(abs(told - heard) < 10, "\(told) ms told, \(heard) ms heard")
            let machine = try #require(figures.machine)
            #expect(machine.stops > 40 && machine.longestMilliseconds > longest / 2)
            #expect(machine.reserveMilliseconds <= longest + 3)
        }
    }

    @Test("what stops cost is given back within some seconds of their end")
    func stopsThatEnd() throws {
        let call = try standingCall("stops=0.7:4-21,to=30", seconds: 50)
        for side in 0..<2 {
            let heard = try #require(call.delay(of: 1 - side, from: 38))
            #expect(abs(heard - Self.quiet) < 6, "\(heard) ms heard")
            #expect(call.sides[side].statistics.machine?.reserveMilliseconds == 0)
        }
    }

    /// A call, and what each side told of the whole delay every tenth of a second.
    private func toldCall(
        _ machine: String, seconds: Double, seed: UInt64 = 1, adjust: (inout LoopbackPlan) -> Void = { _ in }
    ) throws -> (call: OfflineCall, told: [[Told]]) {
        var plan = try quietPlan(seconds: seconds, seed: seed)
        plan.periodMilliseconds = 5
        plan.machine = try MachineConditions(parsing: machine)
        adjust(&plan)
        let call = try OfflineCall(plan)
        var told: [[Told]] = [[], []]
        var next = 0.1
        try call.run(afterTick: { now in
            let time = now.milliseconds(since: .zero) / 1000
            guard time >= next else { return }
            next += 0.1
            for side in 0..<2 {
                let figures = call.sides[side].statistics
                told[side].append(
                    Told(time: time, delay: figures.mouthToEarMilliseconds, reason: figures.bufferTargetReason))
            }
        })
        return (call, told)
    }

    private struct Told {
        let time: Double
        let delay: Double?
        let reason: String?
    }

    @Test(
        "one stop costs its gap alone: within 5 s, and of a long one within a second, the delay heard and told is what it was",
        arguments: [(60.0, 5.0), (3000, 1)])
    func oneStop(milliseconds: Double, back: Double) throws {
        let (call, told) = try toldCall("stop=10:\(milliseconds)", seconds: 30)
        let end = 10 + milliseconds / 1000 + back
        for side in 0..<2 {
            let figures = call.sides[side].statistics
            let before = try #require(call.delay(of: 1 - side, from: 3, to: 10))
            let heard = try #require(call.delay(of: 1 - side, from: end, to: end + 4.1))
            #expect(abs(heard - before) < 3, "\(heard) ms heard, \(before) before")
            #expect(figures.xruns.playback == 1 && call.sides[side].silentMilliseconds < milliseconds + 10)
            #expect((figures.concealedShort ?? 0) + (figures.concealedLong ?? 0) <= 1)
            #expect(figures.gapsByCause?.machine ?? 0 >= 1)
            let after = told[side].filter { $0.time > end }.compactMap(\.delay)
            #expect(after.count > 50)
            for delay in after where abs(delay - before) >= 10 {
                Issue.record("\(delay) ms told, \(before) ms heard")
                break
            }
        }
    }

    @Test(
        "stops of one end only: the other end's buffer names them, holds what they need, and gives it back", arguments: [1, 2])
    func oneEnd(seed: UInt64) throws {
        let (call, told) = try toldCall("stops=0.7:4-21,side=a,from=10,to=70", seconds: 100, seed: seed)
        let listener = call.sides[1]
        let quiet = try #require(call.delay(of: 0, from: 2, to: 10))
        for start in [30.0, 50] {
            let heard = try #require(call.delay(of: 0, from: start, to: start + 18))
            #expect(heard <= quiet + 21 + 3, "\(heard) ms heard after \(start) s, \(quiet) when quiet")
        }
        let reasons = told[1].filter { $0.time > 25 && $0.time < 69 }.map(\.reason)
        let named = reasons.count { $0 == "sender" }
        #expect(Double(named) > 0.8 * Double(reasons.count), "\(named) of \(reasons.count)")
        #expect(told[1].filter { $0.time < 10 }.allSatisfy { $0.reason != "sender" })
        #expect(told[1].last?.reason == "network")
        let after = try #require(call.delay(of: 0, from: 84))
        #expect(abs(after - quiet) < 6, "\(after) ms heard after them, \(quiet) before")
        #expect((listener.statistics.concealedRatio ?? 1) < 0.005)
        #expect(listener.statistics.machine?.stops == 0 && listener.statistics.remote?.machineStops ?? 0 > 40)
    }

    @Test("the main job on a machine that stands still for up to 21 ms is good", arguments: [1, 2])
    func mainJob(seed: UInt64) throws {
        var plan = LoopbackPlan()
        plan.seconds = 60
        plan.seed = seed
        plan.machine = try MachineConditions(parsing: "stops=0.7:4-21")
        let call = try OfflineCall(plan)
        try call.run()
        let verdict = Verdict(call.report)
        #expect(verdict.grade == .good, "\(verdict.text)")
    }
}
