import Metrics
import Realtime
import Simulation
import Testing

/// A call whose machine stands still, in virtual time; `afterTick` sees it after each period of the devices.
/// - Parameter bothSpeak: all the while, where they take turns otherwise.
func standingCall(
    _ machine: String, seconds: Double = 30, trace: NetworkTrace? = nil, seed: UInt64 = 1, bothSpeak: Bool = false,
    afterTick: (_ call: OfflineCall, _ seconds: Double) -> Void = { _, _ in }
) throws -> OfflineCall {
    var plan = try quietPlan(seconds: seconds, seed: seed)
    plan.periodMilliseconds = 5
    plan.machine = try MachineConditions(parsing: machine)
    plan.network.trace = trace
    if bothSpeak {
        plan.speech = { side, rate in
            var talker = SyntheticTalker(
                sampleRate: rate, pitch: side == 0 ? 110 : 200, seed: seed &+ UInt64(side) &* 1000)
            return talker.speak(seconds: seconds)
        }
    }
    let call = try OfflineCall(plan)
    try call.run(afterTick: { afterTick(call, $0.milliseconds(since: .zero) / 1000) })
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
            #expect(figures.xruns.silentMilliseconds == 0)
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

    @Test(
        "delay that grew among stops is not taken back where the sound goes on: the next stop finds it",
        arguments: [UInt64(4), 8])
    func keptDelay(seed: UInt64) throws {
        // Taken back, as it is where no machine stops, it was 80 ms on one side, and 40 of the other seed's.
        let call = try standingCall("stops=0.7:4-21", seconds: 60, seed: seed)
        for side in 0..<2 { #expect(call.sides[side].statistics.concealedByReason.values.reduce(0, +) <= 20) }
    }

    @Test(
        "a packet of who stood still with us is waited for: in a minute of stops one block of 10 ms is made up at most",
        arguments: [UInt64(7), 11])
    func caughtUp(seed: UInt64) throws {
        // Not waited for, it was 40 ms on one side, and 30 of the other seed's.
        let call = try standingCall("stops=0.7:4-21,to=60", seconds: 76, seed: seed)
        for side in 0..<2 {
            let figures = call.sides[side].statistics
            #expect(figures.concealedByReason.values.reduce(0, +) <= 10, "\(figures.concealedByReason)")
            #expect(figures.playoutGapMilliseconds == 0)
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

    @Test("one stop in a quiet minute costs its gap and no delay", arguments: [60.0, 3000])
    func oneStop(milliseconds: Double) throws {
        let call = try standingCall("stop=10:\(milliseconds)", seconds: 30)
        for side in 0..<2 {
            let heard = try #require(call.delay(of: 1 - side, from: 17))
            #expect(abs(heard - Self.quiet) < 8, "\(heard) ms heard")
            let xruns = call.sides[side].statistics.xruns
            #expect(xruns.playback == 1)
            // From the last sound that was there until the first one after the stop.
            let silent = try #require(xruns.silentMilliseconds)
            #expect(silent == call.sides[side].silentMilliseconds && silent > 20 && silent < milliseconds + 10, "\(silent) ms")
        }
    }

    @Test("one end stands still: the other one books the gap to its sender, and its own silence is the machine's")
    func causes() throws {
        let call = try standingCall("stop=9.2:200,stop=10.4:200,stop=17.3:200,side=a", seconds: 30)
        let (a, b) = (call.sides[0].statistics, call.sides[1].statistics)
        for figures in [a, b] {
            let gaps = try #require(figures.gapsByCause)
            let all = [gaps.machine, gaps.network, gaps.sender]
            let dry = (figures.playoutGaps ?? 0) + (figures.xruns.playback ?? 0)
            #expect(all.reduce(0) { $0 + $1.count } == (figures.concealedShort ?? 0) + (figures.concealedLong ?? 0) + dry)
            #expect(all.reduce(0) { $0 + $1.long } == figures.concealedLong)
            let concealed = figures.concealedByReason.values.reduce(0, +)
            let silent = (figures.playoutGapMilliseconds ?? 0) + (figures.xruns.silentMilliseconds ?? 0)
            #expect(abs(all.reduce(0) { $0 + $1.milliseconds } - concealed - silent) < 0.01)
        }
        let standing = try #require(a.gapsByCause)
        #expect(standing.sender == GapSum(), "B's machine did not stand still")
        #expect(standing.machine.count >= 1 && standing.machine.milliseconds >= a.xruns.silentMilliseconds ?? 0)
        let hearing = try #require(b.gapsByCause)
        #expect(hearing.sender.count >= 1 && hearing.sender.milliseconds > 60, "\(hearing)")
        #expect(hearing.machine.count == (b.playoutGaps ?? 0) + (b.xruns.playback ?? 0), "nothing of its own stood still")
        // The sender's stops came to the other side, each once.
        #expect(a.local?.machineStops == b.remote?.machineStops && a.local?.machineLongestMilliseconds ?? 0 >= 190)
        let (stood, told) = (
            try #require(a.local?.machineStoppedMilliseconds), try #require(b.remote?.machineStoppedMilliseconds)
        )
        #expect(stood >= 599 && abs(told - stood) < 10, "\(stood) ms, told \(told) ms")
        #expect(b.local?.machineStoppedMilliseconds == 0 && a.remote?.machineStops == nil)
    }
}
