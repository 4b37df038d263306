import Media
import Realtime

/// Where in the packet time a call at a port has its turn: as soon behind its packets as its jitter buffer asks.
///
/// ```
/// packets:  |         |         |         |
/// turns:        ^         ^            ^          the target of the buffer's delay rose: later by a slot
/// ```
/// Frames are as long as packets there: by itself the buffer can have its delay lie a whole packet higher or lower, and nothing between.
/// A turn that moves by a slot of 5 ms moves the delay by as much, and no sound is stretched for it. Sans-I/O.
struct TurnPhase {
    /// What a turn that was moved to an earlier slot has to spare at least, and what may be missing before it moves to a later one, in
    /// milliseconds: a target that goes up and down by a little moves nothing.
    private static let leastSpare = 1.5
    private static let mostShort = 0.5
    /// For how long there was that to spare before a turn moves to an earlier slot, in milliseconds: soon after the beginning, where a
    /// caller's first packet has waited for his second one to prove him; then for longer, and the longer the more often it had to be
    /// taken back.
    private static let firstPatience = 200.0
    private static let usualPatience = 1000.0
    private static let mostPatience = 32_000.0
    /// Between two moves to a later slot, in milliseconds.
    private static let betweenLater = 1000.0

    private var patience = Self.firstPatience
    /// Since when there was a slot to spare.
    private var spareSince: HostTime?
    private var lastLater: HostTime?

    /// A turn has come.
    /// - Parameters:
    ///   - spare: by how much what would be heard now is older than the buffer asks, in milliseconds; nil: nothing is heard yet.
    ///   - packetMilliseconds: from one turn to the next.
    ///   - now: the time.
    /// - Returns: by how many slots the turn is to move: to a later one when positive, and then it is not had now; 0: it stays.
    mutating func slots(spare: Double?, packetMilliseconds: Int, now: HostTime) -> Int {
        let slot = TickWheel.usualMilliseconds
        guard let spare, abs(spare) < 1000 else { return 0 }
        if spare < -Self.mostShort {
            spareSince = nil
            let slots = Int((-spare / slot).rounded(.up))
            // A whole packet is the buffer's.
            guard Double(slots) * slot < Double(packetMilliseconds),
                lastLater.map({ now.milliseconds(since: $0) >= Self.betweenLater }) ?? true
            else { return 0 }
            if lastLater != nil { patience = min(Self.mostPatience, 2 * max(patience, Self.usualPatience)) }
            lastLater = now
            return slots
        }
        let slots = min(Int((spare - Self.leastSpare) / slot), Int(Double(packetMilliseconds) / slot) - 1)
        guard slots > 0 else {
            spareSince = nil
            return 0
        }
        let since = spareSince ?? now
        spareSince = since
        guard now.milliseconds(since: since) >= patience else { return 0 }
        spareSince = nil
        patience = max(patience, Self.usualPatience)
        return -slots
    }
}
