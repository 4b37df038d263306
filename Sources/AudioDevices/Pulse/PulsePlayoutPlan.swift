import Realtime

/// When a period is written to a sound server, and behind how much silence. It knows no clock and no server.
///
/// The server takes a block whenever it needs one, and tells. What is left then is what bridges a late turn: it is held between the
/// target less a period and the target (`PlaybackTarget`), so a period is written right after a block was taken.
package struct PulsePlayoutPlan: BitwiseCopyable {
    /// What to do in a turn.
    package enum Step: Equatable, BitwiseCopyable, Sendable {
        /// Write a period behind so many frames of silence: 0 but where the server has run dry, or the stream begins.
        case write(skipping: Int)
        /// Nothing: enough is queued, or whoever has the sound is waited for.
        case wait
        /// Fetch a period and drop it: the server takes nothing, and the application's pace goes on without it.
        case discard
        /// The server has taken nothing for so long that it hangs.
        case stalled
    }

    private let period: Int
    private let rate: Int
    package private(set) var target: PlaybackTarget
    private var rhythm = BlockRhythm()
    private var hasBegun = false
    private var begun: Int64 = 0
    /// Frames that the server had after the latest turn.
    package private(set) var lastQueued = 0
    private var lastProgress: Int64 = 0
    private var nextDiscard: Int64 = 0
    private var lastTurn: Int64 = 0
    /// More than one period is due, or who has the sound is waited for: the next look.
    private var soon: Int64?
    /// Silence of the underrun that the latest step mends, in frames.
    package private(set) var silentFrames = 0

    /// A server's blocks are not all of one length where it converts the rate: so much more than the level held may be left, in periods.
    private static let slack = 0.25

    /// A stream that has not begun.
    /// - Parameters:
    ///   - period: frames that are written at once.
    ///   - buffer: frames that the server queues at most.
    ///   - rate: frames a second.
    @_noLocks
    package init(period: Int, buffer: Int, rate: Int) {
        self.period = period
        self.rate = rate
        target = PlaybackTarget(period: period, buffer: buffer, rate: rate)
    }

    /// A stream begins; the next step fills it.
    /// - Parameter now: nanoseconds of the clock.
    @_noLocks
    package mutating func begin(at now: Int64) {
        hasBegun = false
        begun = now
        lastProgress = now
        lastTurn = now
        soon = now
    }

    /// When the next turn is due at the latest, nil: when the server tells something.
    package var due: Int64? {
        @_noLocks get {
            guard let soon else { return rhythm.due }
            guard let next = rhythm.due else { return soon }
            return next < soon ? next : soon
        }
    }

    /// When the server should have taken the next block, as far as the latest one tells.
    package var expected: Int64 { @_noLocks get { rhythm.expected } }

    /// A turn begins.
    /// - Parameters:
    ///   - now: the time.
    ///   - asked: when it should have begun at the latest.
    /// - Returns: the machine's stop, or that it was late all the same; nil: in time.
    @_noLocks
    package mutating func turns(at now: Int64, asked: Int64) -> MachineStop? {
        let previous = lastTurn
        lastTurn = now
        let isSettling = now &- begun <= DirectionBoard.settling
        let lateness = Double(now &- asked) / 1e6
        let isStop = target.late(by: lateness, isSettling: isSettling)
        return .found(
            isStop: isStop, since: HostTime(nanoseconds: previous), lateBy: lateness, now: HostTime(nanoseconds: now))
    }

    /// The stream went to another sink: what it stalls for that is not learned from.
    @_noLocks
    package mutating func moved() { target.moved() }

    /// What to do now.
    /// - Parameters:
    ///   - now: the time.
    ///   - queued: frames that the server has, as far as it has told; negative: it has played so many more.
    ///   - latency: frames until what is written next would be heard; negative: so long ago it would have been; nil: not known.
    ///   - canFetch: whether the application has a period ready.
    @_noLocks
    package mutating func step(at now: Int64, queued: Int, latency: Int?, canFetch: Bool) -> Step {
        guard hasBegun else { return fill(at: now, queued: queued) }
        let taken = lastQueued &- queued
        if taken > 0 {
            // It takes nothing for long, then all at once: what it needs from now on is not to be learned from that.
            if now &- lastProgress > DirectionBoard.hesitation { target.moved() }
            lastProgress = now
        } else if now &- lastProgress > DirectionBoard.stallLimit(age: now &- begun) {
            return .stalled
        }
        if rhythm.look(nanoseconds(taken), at: now) || taken < 0 { lastQueued = queued }
        soon = nil
        if queued < 0 {
            target.underran()
            return fill(at: now, queued: queued)
        }
        // The server tells in steps how much it took, but smoothly what is left to be heard: the less of the two holds.
        let delay = self.delay(queued: queued, latency: latency)
        let level = delay < queued ? delay : queued
        target.found(level: level)
        let low = target.frames &- period
        let slack = Int(Double(period) * Self.slack)
        if level > low &+ slack {
            if now > nextDiscard {
                nextDiscard = nextDiscard &+ nanoseconds(period)
                soon = nextDiscard > now &+ DirectionBoard.shortestSleep ? nextDiscard : now &+ DirectionBoard.shortestSleep
                return .discard
            }
            return .wait
        }
        if !canFetch, mayWait(level: level, now: now) {
            soon = now &+ DirectionBoard.shortestSleep
            return .wait
        }
        silentFrames = 0
        target.writes(at: level &- slack)
        wrote(at: now, skipping: 0)
        // One period only, also when more are due: whoever fills the ring behind the callback has slept as long as we have, and needs
        // the moment until the next turn.
        if level &+ period <= low { soon = now &+ DirectionBoard.shortestSleep }
        target.played(period)
        return .write(skipping: 0)
    }

    /// Frames until what is written next is heard. What the server says of that may be anything where a sink begins: it may be less than
    /// what is queued by no more than one of the steps in which the server tells how much it took.
    /// - Parameters:
    ///   - queued: as for a step.
    ///   - latency: likewise.
    @_noLocks
    package func delay(queued: Int, latency: Int?) -> Int {
        guard let latency else { return queued }
        return latency > queued &- period ? latency : queued &- period
    }

    /// Whether somebody who has no period ready is waited for: much is left, or the server does not need it yet. After a stop of the machine
    /// everybody has much to do at once, and a period of silence would be delay from then on.
    @_noLocks
    private func mayWait(level: Int, now: Int64) -> Bool {
        let left = rhythm.expected &- now
        return nanoseconds(level) > DirectionBoard.patience || left > Self.leastLeft && left < nanoseconds(period &* 2)
    }

    /// The next look is a millisecond later, and may be late.
    private static let leastLeft: Int64 = 1_500_000

    /// A stream that has nothing queued is filled to its target, silence first.
    @_noLocks
    private mutating func fill(at now: Int64, queued: Int) -> Step {
        lastQueued = queued
        let lead = target.lead
        var skipped = queued < lead ? lead &- queued : 0
        // The server has played on: what follows the latest block by whole periods is heard in its rhythm.
        if hasBegun { skipped &+= target.wait(forRhythm: 0 &- skipped) }
        silentFrames = hasBegun ? skipped : 0
        hasBegun = true
        rhythm = BlockRhythm()
        wrote(at: now, skipping: skipped)
        // The first thing a server does is to take its own block.
        soon = now &+ DirectionBoard.shortestSleep
        return .write(skipping: skipped)
    }

    @_noLocks
    private mutating func wrote(at now: Int64, skipping: Int) {
        lastQueued = lastQueued &+ skipping &+ period
        nextDiscard = now &+ DirectionBoard.discardNanoseconds
    }

    @_noLocks
    private func nanoseconds(_ frames: Int) -> Int64 { Int64(Double(frames) * 1e9 / Double(rate)) }
}
