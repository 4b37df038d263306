import Media
import Realtime
import Threads

/// A loop's thread: one wait serves all sessions whose turn it is.
///
/// A packet does not wake it, but for those of a handshake; a command does.
struct SessionLoopThread: ~Copyable {
    private let loop: SessionLoop
    private var wheel = TickWheel(start: .monotonicNow())
    private var seats: [SeatedSession?] = []
    /// Seats of the sessions whose links are at a handshake.
    private var handshakes: [Int] = []
    private var round: UInt64 = 0
    private var work = LoopWork()
    private var usage = ThreadUsage()
    private var nextSecond = HostTime.zero

    /// - Parameter loop: what it serves.
    init(_ loop: SessionLoop) { self.loop = loop }

    /// Runs until nobody is there.
    mutating func run() {
        if let core = loop.core { _ = CoreAffinity.pin(toAllowedCore: core) }
        while takeArrivals() {
            let next = wheel.nextMembers ?? HostTime.monotonicNow()
            var descriptors: [Int32] = []
            for seat in handshakes { descriptors += seats[seat]?.turns.handshakeDescriptors ?? [] }
            let isRung = loop.bell.wait(until: next, orFor: descriptors)
            turn(isRung: isRung)
        }
    }

    /// - Returns: false: nobody is there.
    private mutating func takeArrivals() -> Bool {
        guard let arrivals = loop.takeArrivals() else { return false }
        for session in arrivals { seat(session) }
        return true
    }

    private mutating func seat(_ session: SeatedSession) {
        let seat = seats.firstIndex { $0 == nil } ?? seats.count
        if seat == seats.count { seats.append(session) } else { seats[seat] = session }
        wheel.add(seat, everyMilliseconds: session.turnMilliseconds)
    }

    /// One round: who asked for it, who waits for packets, and whose time has come.
    private mutating func turn(isRung: Bool) {
        let now = HostTime.monotonicNow()
        round += 1
        work.begin(at: now, processorSeconds: ThreadUsage.seconds)
        var served = handshakes
        if isRung { for seat in seats.indices where seats[seat]?.turns.isAsked == true { served.append(seat) } }
        for seat in served { seats[seat]?.turns.turn() }
        while let due = wheel.advance(to: now) {
            for seat in wheel.due {
                seats[seat]?.turn(dueAt: due, now: now, lateBy: work.lateness(of: due, at: now), round: round)
            }
            served += wheel.due
        }
        // Where no more may come, that may have been all.
        if isRung { served += seats.indices }
        for seat in served where isOver(seat) { letGo(seat) }
        work.end(processorSeconds: ThreadUsage.seconds)
        guard now >= nextSecond else { return }
        nextSecond = now.advanced(byMilliseconds: 1000)
        loop.note(load: usage.share(now: now))
    }

    /// Also notes whether the session is at a handshake.
    private mutating func isOver(_ seat: Int) -> Bool {
        guard let turns = seats[seat]?.turns else { return false }
        let isHandshaking = !turns.handshakeDescriptors.isEmpty
        if isHandshaking != handshakes.contains(seat) {
            if isHandshaking { handshakes.append(seat) } else { handshakes.removeAll { $0 == seat } }
        }
        return turns.isOver
    }

    /// Its owner has the links and sockets again as soon as it is told: nothing here refers to them then.
    private mutating func letGo(_ seat: Int) {
        guard let gone = seats[seat]?.gone else { return }
        seats[seat]?.turns.finish()
        seats[seat] = nil
        wheel.remove(seat)
        handshakes.removeAll { $0 == seat }
        loop.leave()
        gone.ring()
    }
}
