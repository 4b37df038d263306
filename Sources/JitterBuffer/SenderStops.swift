import Realtime

/// The stops of the sender's machine, as it tells of them some seconds later: which packets they held up, and whether more are to come.
///
/// As long as they go on, packets are as late as they are, and `ArrivalHistory` learns that as on any line. When they are over, what they
/// held up says nothing of what follows: it is then seen as if it had come with the fastest. Once they come again, all is remembered.
///
/// What the sender tells says whose a late packet was. That no more stops come shows in packets that are in time, before it is told.
struct SenderStops {
    /// A time in which packets came that a stop may have held up; in milliseconds since the epoch.
    struct Held: BitwiseCopyable {
        let from: Double
        let until: Double
        /// For how long at most.
        let milliseconds: Double
    }

    /// This much later than the fastest, in milliseconds, a packet was held up. By hand: what calm networks stay under.
    static let leastLateness = 1.0
    /// Stops that are remembered: those of all arrivals that are, up to three a second.
    private static let capacity = 256
    /// Stops over which their share that shows is taken.
    private static let mostCounted = 64.0

    /// What a machine that stands still like this is expected to do.
    private var machine = MachineLateness()
    /// When the latest stop was over that was told.
    private var lastEnd = -Double.infinity
    /// When a packet last was late.
    private var lastLate = -Double.infinity
    /// When one last was late by as much as a stop.
    private var lastLong = -Double.infinity
    /// For how long there was none, as told, or as far as packets show it, in milliseconds.
    private var calm = 0.0
    /// Stops that were told, and those of them that made a packet late: most fall between two packets.
    private var counts = (told: 0.0, seen: 0.0)
    /// The latter, in order.
    private var held: [Held] = []
    /// Packets that were late after the latest told stop, when no more are expected: they will be told of as well.
    private var presumed: Held?
    /// Whether no more of them are expected.
    private var areOver = true
    /// Since when, as far as was known then.
    private var overSince = -Double.infinity

    /// Whether packets come late because of them, and will.
    var goOn: Bool { !areOver && !held.isEmpty }

    /// Whether any made a packet late, so that packets can show that they are over, or go on after all.
    var wereSeen: Bool { !held.isEmpty }

    /// What is not to be held against the line now.
    var excuses: (told: [Held], presumed: Held?) { areOver ? (held, presumed) : ([], nil) }

    /// The sender told of its stops since its report before; none: it did not stand still.
    /// - Parameters:
    ///   - stops: when each was over, in milliseconds since the epoch, and for how long nothing ran.
    ///   - time: when the report came.
    ///   - isSeen: whether a packet was late then.
    /// - Returns: whether `excuses` are others than before.
    mutating func told(
        _ stops: [(end: Double, milliseconds: Double)], at time: Double, isSeen: (Held) -> Bool
    ) -> Bool {
        let (wasOver, known, hadPresumed) = (areOver, held.count, presumed != nil)
        for stop in stops.sorted(by: { $0.end < $1.end }) where stop.end > lastEnd && stop.end <= time {
            note(stop, isSeen: isSeen)
        }
        let isNews = held.count > known || hadPresumed
        if held.count > Self.capacity { held.removeFirst(held.count - Self.capacity) }
        presumed = nil
        calm = time - lastEnd
        areOver = machine.overAfterSeconds.map { calm > 1000 * $0 } ?? true
        if areOver, isNews || !wasOver { overSince = time }
        return !held.isEmpty && areOver != wasOver || areOver && isNews
    }

    private mutating func note(_ stop: (end: Double, milliseconds: Double), isSeen: (Held) -> Bool) {
        guard (0...DelayManager.longestHold).contains(stop.milliseconds) else { return }
        machine.pass(seconds: lastEnd.isFinite ? (stop.end - lastEnd) / 1000 : 0)
        machine.turn(lateBy: stop.milliseconds)
        lastEnd = stop.end
        let times = Held(
            from: stop.end - MachineStop.closeness, until: stop.end + MachineStop.closeness, milliseconds: stop.milliseconds)
        let shows = isSeen(times)
        if shows { held.append(times) }
        if counts.told >= Self.mostCounted { counts = (counts.told / 2, counts.seen / 2) }
        counts = (counts.told + 1, counts.seen + (shows ? 1 : 0))
    }

    /// A packet came that may show that stops are over, or that they go on after a pause that looked like their end.
    /// - Parameters:
    ///   - excess: how much later than the fastest, in milliseconds.
    ///   - duration: its length in milliseconds: stops in that time would have shown, as many as usually do.
    ///   - time: when, in milliseconds since the epoch.
    /// - Returns: whether `excuses` are others than before.
    mutating func note(excess: Double, duration: Double, at time: Double) -> Bool {
        guard wereSeen, let patience = machine.overAfterSeconds.map({ 1000 * $0 }) else { return false }
        let share = counts.seen / counts.told
        let isLate = excess >= Self.leastLateness
        let isLong = excess >= MachineLateness.leastMilliseconds
        let sinceLong = time - max(lastLong, lastEnd)
        if isLate { (calm, lastLate) = (0, max(lastLate, time)) }
        if isLong { lastLong = max(lastLong, time) }
        if areOver {
            // On a line where packets are so late all the time one more says nothing.
            guard isLong, sinceLong >= patience, (time - overSince) * share <= patience else { return false }
            (areOver, presumed) = (false, nil)
            return true
        }
        guard !isLate else { return false }
        calm += duration * share
        guard calm > patience else { return false }
        (areOver, overSince) = (true, time)
        if lastLate > lastEnd {
            presumed = Held(from: lastEnd, until: lastLate, milliseconds: machine.longestMilliseconds)
        }
        return true
    }
}
