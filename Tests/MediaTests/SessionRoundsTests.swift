import LiveMedia
import Media
import Realtime
import Synchronization
import Testing

/// What passes: the time, and the processor's time of the loop.
private final class LoopTime: Sendable {
    private let nanoseconds = Atomic<Int64>(1_000_000_000)
    private let worked = Atomic<Int64>(0)
    var now: HostTime { HostTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }
    var processorSeconds: Double { Double(worked.load(ordering: .relaxed)) / 1e9 }
    func pass(until time: HostTime) { if time > now { nanoseconds.store(time.nanoseconds, ordering: .relaxed) } }
    func stand(milliseconds: Double) { nanoseconds.wrappingAdd(Int64(milliseconds * 1e6), ordering: .relaxed) }
    func work(milliseconds: Double) {
        stand(milliseconds: milliseconds)
        worked.wrappingAdd(Int64(milliseconds * 1e6), ordering: .relaxed)
    }
}

/// A session that costs what the test says.
private final class CostlySession: LoopMember {
    let turnMilliseconds: Int
    let gone = Bell()
    var isAsked = false
    var handshakeDescriptors: [Int32] = []
    /// Of a turn, in milliseconds.
    var cost: Double
    /// Turns after which it is over.
    var lastTurn = Int.max
    private(set) var turns = 0
    private(set) var isFinished = false
    /// How late the machine was with each turn by the clock.
    private(set) var lateness: [Double] = []
    /// What encoders were allowed, each time that it was told: those there are, new ones.
    private(set) var limits: [[Int]] = []
    private let time: LoopTime
    private var watch: StageWatch?

    init(_ time: LoopTime, turnMilliseconds: Int = 20, cost: Double = 0.1) {
        (self.time, self.turnMilliseconds, self.cost) = (time, turnMilliseconds, cost)
    }

    var isOver: Bool { turns >= lastTurn }

    func turn() {
        isAsked = false
        turns += 1
        // A quarter of it is hearing, in the midst of saying.
        watch?.measure(.say) {
            time.work(milliseconds: cost / 2)
            watch?.measure(.hear) { time.work(milliseconds: cost / 4) }
            time.work(milliseconds: cost / 4)
        }
    }

    func turn(dueAt due: HostTime, now: HostTime, lateBy lateness: Double, round: UInt64) {
        self.lateness.append(lateness)
        turn()
    }

    func limitComplexity(ofRunning running: Int, ofNew new: Int) { limits.append([running, new]) }
    func measure(by watch: StageWatch) { self.watch = watch }
    func finish() { isFinished = true }
}

@Suite("Sessions that share a thread, in virtual time") struct SessionRoundsTests {
    private let time = LoopTime()

    private func makeRounds() -> SessionRounds {
        let time = time
        return SessionRounds(now: { time.now }, processorSeconds: { time.processorSeconds })
    }

    private func pass(_ rounds: inout SessionRounds, seconds: Double, each: (inout SessionRounds) -> Void = { _ in }) {
        let end = time.now.advanced(byMilliseconds: seconds * 1000)
        while time.now < end {
            time.pass(until: rounds.nextTurn)
            _ = rounds.turn(isRung: false)
            each(&rounds)
        }
    }

    @Test("have their turns in time, and it is told")
    func inTime() throws {
        var rounds = makeRounds()
        let sessions = (0..<20).map { _ in CostlySession(time, cost: 0.1) }
        for session in sessions { rounds.take(session) }
        pass(&rounds, seconds: 2)
        for session in sessions {
            #expect((99...101).contains(session.turns))
            #expect(session.limits == [[10, 10]], "nothing is given up")
        }
        let figures = rounds.takeFigures()
        #expect(figures.admits && figures.relief == .none && abs(figures.load - 0.1) < 0.02)
        #expect(try #require(figures.latenessMaximum) < 1 && rounds.takeFigures().latenessMaximum == nil, "it begins anew")
    }

    @Test("are told what their thread's time goes into, one stage within another by itself")
    func stages() {
        var rounds = makeRounds()
        for _ in 0..<20 { rounds.take(CostlySession(time, cost: 0.1)) }
        pass(&rounds, seconds: 4)
        let stages = rounds.takeStages()
        #expect(abs((stages[.say] ?? 0) - 0.075) < 0.01 && abs((stages[.hear] ?? 0) - 0.025) < 0.004, "\(stages)")
        #expect(stages[.receive] == 0 && (rounds.takeStages()[.say] ?? 0) == 0, "it begins anew")
    }

    @Test(
        "that come many at once are let in while there is time for them, and those who were there notice nothing",
        arguments: [1, 5, 20])
    func burst(ofTurn newcomers: Int) throws {
        var rounds = makeRounds()
        // A hundredth of the time each.
        let before = (0..<70).map { _ in CostlySession(time, cost: 0.2) }
        for session in before { rounds.take(session) }
        pass(&rounds, seconds: 3)
        #expect(rounds.admits)
        _ = rounds.takeFigures()
        var (letIn, refused) = (0, 0)
        pass(&rounds, seconds: 4) { rounds in
            for _ in 0..<newcomers {
                guard rounds.admits else {
                    refused += 1
                    continue
                }
                letIn += 1
                rounds.take(CostlySession(time, cost: 0.2))
            }
        }
        #expect((7...10).contains(letIn) && refused > 0, "\(letIn) of them")
        let figures = rounds.takeFigures()
        #expect(try #require(figures.latenessMaximum) < 8 && figures.load < 0.85)
    }

    @Test("that have too much to do have encoders work less, let nobody new in, and take it back when it is over")
    func overload() {
        var rounds = makeRounds()
        let sessions = (0..<20).map { _ in CostlySession(time, cost: 0.95) }
        for session in sessions { rounds.take(session) }
        var hasRefused = false
        pass(&rounds, seconds: 5) { if !$0.admits { hasRefused = true } }
        #expect(hasRefused && !rounds.admits)
        let steps = [[10, 10], [10, 5], [5, 5], [2, 2]]
        #expect(sessions.allSatisfy { $0.limits == steps }, "what hurts least goes first")
        let late = CostlySession(time, cost: 0)
        rounds.take(late)
        #expect(late.limits == [[2, 2]], "who comes nevertheless has cheap encoders from the beginning")
        for session in sessions { session.cost = 0.05 }
        pass(&rounds, seconds: 10)
        #expect(rounds.admits)
        #expect(sessions.allSatisfy { $0.limits == steps + [[5, 5], [10, 5], [10, 10]] })
        #expect((sessions + [late]).allSatisfy { !$0.isFinished }, "a running one is never cut")
    }

    @Test("that end their turns late again and again let nobody new in, though there is time between")
    func late() {
        var rounds = makeRounds()
        let slow = CostlySession(time, cost: 12)
        rounds.take(slow)
        pass(&rounds, seconds: 2)
        #expect(!rounds.admits && rounds.takeFigures().load < 0.7)
        slow.cost = 1
        pass(&rounds, seconds: 5)
        #expect(rounds.admits)
    }

    @Test("are back in time at once after a machine that stood still for half a second, with all their turns")
    func standstill() throws {
        var rounds = makeRounds()
        let sessions = (0..<300).map { _ in CostlySession(time, cost: 0.02) }
        for session in sessions { rounds.take(session) }
        pass(&rounds, seconds: 2)
        time.stand(milliseconds: 500)
        pass(&rounds, seconds: 0.5)
        #expect(try #require(rounds.takeFigures().latenessMaximum) > 490)
        #expect(try #require(sessions[0].lateness.max()) > 480, "it was the machine")
        pass(&rounds, seconds: 1)
        #expect(try #require(rounds.takeFigures().lateness99) < 5)
        for session in sessions { #expect((199...202).contains(session.turns), "none is left out") }
        pass(&rounds, seconds: 2)
        #expect(rounds.admits)
    }

    @Test("that ask for a turn have it in the round that is rung")
    func asked() {
        var rounds = makeRounds()
        let sessions = (0..<3).map { _ in CostlySession(time) }
        for session in sessions { rounds.take(session) }
        pass(&rounds, seconds: 0.1)
        let before = sessions.map(\.turns)
        sessions[1].isAsked = true
        // Nobody's time has come.
        _ = rounds.turn(isRung: true)
        #expect(sessions.map(\.turns) == [before[0], before[1] + 1, before[2]])
    }

    @Test("that wait for packets of a handshake have a turn in each round, and none of the kind afterwards")
    func handshake() {
        var rounds = makeRounds()
        let session = CostlySession(time)
        session.handshakeDescriptors = [7]
        rounds.take(session)
        pass(&rounds, seconds: 0.01)
        #expect(rounds.handshakeDescriptors == [7])
        let before = session.turns
        _ = rounds.turn(isRung: false)
        #expect(session.turns == before + 1)
        session.handshakeDescriptors = []
        _ = rounds.turn(isRung: false)
        #expect(rounds.handshakeDescriptors.isEmpty)
        let after = session.turns
        _ = rounds.turn(isRung: false)
        #expect(session.turns == after)
    }

    @Test("leave nothing behind: 10,000 come and go, 100 at a time, and each owner is told")
    func comeAndGo() {
        var rounds = makeRounds()
        var bells: [Bell] = []
        var told: [Bell] = []
        struct Known { weak var session: CostlySession? }
        var known: [Known] = []
        for _ in 0..<100 {
            for number in 0..<100 {
                let session = CostlySession(time, turnMilliseconds: [5, 10, 20][number % 3], cost: 0.001)
                session.lastTurn = 1 + number % 4
                bells.append(session.gone)
                known.append(Known(session: session))
                rounds.take(session)
            }
            let end = time.now.advanced(byMilliseconds: 200)
            while time.now < end {
                time.pass(until: rounds.nextTurn)
                told += rounds.turn(isRung: false)
                time.stand(milliseconds: 0.1)
            }
            #expect(known.allSatisfy { $0.session == nil })
            known = []
        }
        #expect(rounds.places == 100)
        #expect(Set(told.map(ObjectIdentifier.init)) == Set(bells.map(ObjectIdentifier.init)) && told.count == bells.count)
    }

    @Test("that are over because their owner says so are let go in the round that is rung")
    func closed() {
        var rounds = makeRounds()
        let session = CostlySession(time)
        rounds.take(session)
        pass(&rounds, seconds: 0.02)
        session.lastTurn = 0
        #expect(rounds.turn(isRung: true).count == 1 && session.isFinished)
    }
}
