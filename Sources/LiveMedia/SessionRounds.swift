import Media
import Realtime

/// The sessions of one loop, round by round: who asks for a turn, whose time has come, who is over, and whether all of them are served
/// in time. It waits for nothing; the clock is whoever's who has the rounds.
package struct SessionRounds {
    private var wheel: TickWheel
    private var seats: [(any LoopMember)?] = []
    /// Seats of the sessions whose links are at a handshake.
    private var handshakes: [Int] = []
    private var round: UInt64 = 0
    private var work = LoopWork()
    private var load = LoopLoad()
    private let watch: StageWatch
    private var stagesSince: HostTime
    /// What the process may use of the processors; nil: all there are.
    var allowance: ProcessorAllowance?
    private let now: @Sendable () -> HostTime
    private let processorSeconds: @Sendable () -> Double

    /// - Parameters:
    ///   - now: the host's monotonic time.
    ///   - processorSeconds: processor time of the thread that has the rounds.
    package init(
        now: @escaping @Sendable () -> HostTime = { .monotonicNow() },
        processorSeconds: @escaping @Sendable () -> Double = { ThreadUsage.seconds }
    ) {
        (self.now, self.processorSeconds) = (now, processorSeconds)
        watch = StageWatch(now: now)
        stagesSince = now()
        wheel = TickWheel(start: stagesSince)
    }

    /// Gives a session a seat; it has turns from now on.
    /// - Parameter member: which.
    package mutating func take(_ member: any LoopMember) {
        let seat = seats.firstIndex { $0 == nil } ?? seats.count
        if seat == seats.count { seats.append(member) } else { seats[seat] = member }
        wheel.add(seat, everyMilliseconds: member.turnMilliseconds)
        member.limitComplexity(ofRunning: load.complexityOfNew, ofNew: load.complexityOfNew)
        member.measure(by: watch)
    }

    /// Places that there are, taken or free.
    package var places: Int { seats.count }

    /// When the next turn is due; at once where nobody is there.
    package var nextTurn: HostTime { wheel.nextMembers ?? now() }

    /// Where packets come that are not to wait for it.
    package var handshakeDescriptors: [Int32] { handshakes.flatMap { seats[$0]?.handshakeDescriptors ?? [] } }

    /// Whether somebody new is let in.
    package var admits: Bool { load.admits(besides: wheel.count) }

    /// How it kept up since the last time.
    package mutating func takeFigures() -> LoopFigures { load.takeFigures() }

    /// What its time went into since the last time, in cores. Packets are handed to the system while something is said.
    package mutating func takeStages() -> [PortStage: Double] {
        let time = now()
        defer { stagesSince = time }
        return watch.takeShares(ofMilliseconds: time.milliseconds(since: stagesSince))
    }

    /// One round: who asked for it, who waits for packets, and whose time has come.
    /// - Parameter isRung: whether somebody asks for a turn.
    /// - Returns: the bells of those who were let go: nothing here refers to them any more, and their owners wait to be told.
    package mutating func turn(isRung: Bool) -> [Bell] {
        let (began, due) = (now(), wheel.nextMembers)
        round += 1
        watch.begin()
        work.begin(at: began, processorSeconds: processorSeconds())
        var served = handshakes
        if isRung { for seat in seats.indices where seats[seat]?.isAsked == true { served.append(seat) } }
        for seat in served { seats[seat]?.turn() }
        while let due = wheel.advance(to: began) {
            for seat in wheel.due {
                seats[seat]?.turn(dueAt: due, now: began, lateBy: work.lateness(of: due, at: began), round: round)
            }
            served += wheel.due
            if wheel.due.isEmpty { load.noteIdleTurn(at: began) } else { load.noteTurn(dueAt: due, endedAt: now()) }
        }
        // Where no more may come, that may have been all.
        if isRung { served += seats.indices }
        let gone = served.compactMap { isOver($0) ? letGo($0) : nil }
        work.end(processorSeconds: processorSeconds())
        if let used = allowance?.take(at: began) {
            load.noteProcessor(share: used.share, milliseconds: used.milliseconds, at: began)
        }
        if load.noteWork(dueAt: due, from: began, to: now(), calls: wheel.count) {
            for member in seats {
                member?.limitComplexity(ofRunning: load.complexityOfRunning, ofNew: load.complexityOfNew)
            }
        }
        return gone
    }

    /// Also notes whether the session is at a handshake.
    private mutating func isOver(_ seat: Int) -> Bool {
        guard let member = seats[seat] else { return false }
        let isHandshaking = !member.handshakeDescriptors.isEmpty
        if isHandshaking != handshakes.contains(seat) {
            if isHandshaking { handshakes.append(seat) } else { handshakes.removeAll { $0 == seat } }
        }
        return member.isOver
    }

    private mutating func letGo(_ seat: Int) -> Bell? {
        let gone = seats[seat]?.gone
        seats[seat]?.finish()
        seats[seat] = nil
        wheel.remove(seat)
        handshakes.removeAll { $0 == seat }
        return gone
    }
}
