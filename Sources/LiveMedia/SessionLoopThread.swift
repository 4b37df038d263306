import Realtime
import Threads

/// A loop's thread: one wait serves all sessions whose turn it is.
///
/// A packet does not wake it, but for those of a handshake; a command does.
struct SessionLoopThread: ~Copyable {
    private let loop: SessionLoop
    private var rounds = SessionRounds()
    private var usage = ThreadUsage()
    private var nextSecond = HostTime.zero
    /// Whether somebody new is let in, as it was told.
    private var admits = true

    /// - Parameter loop: what it serves.
    init(_ loop: SessionLoop) {
        self.loop = loop
        rounds.allowance = ProcessorAllowance()
    }

    /// Runs until nobody is there.
    mutating func run() {
        if let core = loop.core { _ = CoreAffinity.pin(toAllowedCore: core) }
        while seatArrivals() {
            let isRung = loop.bell.wait(until: rounds.nextTurn, orFor: rounds.handshakeDescriptors)
            for gone in rounds.turn(isRung: isRung) {
                loop.leave()
                gone.ring()
            }
            tell(at: .monotonicNow())
        }
    }

    /// Nothing but the rounds refers to a session from then on, since its owner counts on that when it is let go.
    /// - Returns: false: nobody is there.
    private mutating func seatArrivals() -> Bool {
        guard let arrivals = loop.takeArrivals() else { return false }
        for session in arrivals { rounds.take(session) }
        return true
    }

    /// Tells how it keeps up once a second, and at once when somebody new is let in no more, or again.
    private mutating func tell(at now: HostTime) {
        guard now >= nextSecond || rounds.admits != admits else { return }
        admits = rounds.admits
        nextSecond = now.advanced(byMilliseconds: 1000)
        loop.note(rounds.takeFigures(), processorShare: usage.share(now: now), stages: rounds.takeStages())
    }
}
