import Realtime

/// Whether one more call may come, by how late the turns of the calls that run are. A call that runs is never cut.
///
/// A machine that stands still now and then is late once; one that has too much to do is late again and again. So the share of late
/// turns in the last second counts, and the share of time in which there was work.
///
/// Those who have just come are hardly in that share yet. So it is also told how many there may be: as many as fill the time, by what a call
/// took in the last second. Sans-I/O.
public struct Admission: Sendable {
    /// A turn that ends so long after it was due threatens the delay: half a packet of 20 ms.
    public static let lateMilliseconds = 10.0
    /// Share of late turns in a second from which nobody more is let in, and below which people are again.
    static let refusingShare = 0.10
    static let admittingShare = 0.02
    /// Share of the time with work, likewise. What is left is what a thread catches up with: where a share of s is full, a standstill is
    /// made good after s/(1 - s) times its length, four times at 0.8 and nine times at 0.9. They lie close together: those who come then
    /// are counted (`mostCalls`), so that the door does not swing; and calls that fill so much of the time alone must not keep it shut for
    /// good.
    static let refusingLoad = 0.80
    static let admittingLoad = 0.77
    /// How long it must be well again, in milliseconds.
    static let recoveryMilliseconds = 2000.0
    /// Turns that say something: three quarters of a second, of which one standstill is a small part.
    static let leastTurns = 150

    /// Milliseconds of calls that tell what one takes: two calls for a second, or a hundred for a few turns.
    static let tellingCallMilliseconds = 2000.0
    /// Share of the last second with work below which nothing is short: calls that begin and end take more than those that go on.
    static let tellingLoad = 0.5

    private struct Bucket {
        var turns = 0
        var late = 0
        var busy = 0.0
        var joining = 0.0
        var processor = 0.0
        /// Milliseconds of calls: of each that was there, all that passed.
        var calls = 0.0
    }

    private static let bucketMilliseconds = 100.0
    private static let buckets = 10
    private static let windowMilliseconds = Double(buckets) * bucketMilliseconds
    private var window = [Bucket](repeating: Bucket(), count: Self.buckets)
    private var current = 0
    private var bucketStart: HostTime?
    /// Since when it is well, while nobody is let in.
    private var wellSince: HostTime?
    private var lastWork: HostTime?
    /// Whether somebody new is let in.
    public private(set) var admits = true
    /// Calls for which there is time.
    public private(set) var mostCalls = Int.max

    public init() {}

    /// A turn has ended, so long after it was due, in milliseconds.
    public mutating func note(lateMilliseconds late: Double, at now: HostTime) {
        turn(to: now)
        window[current].turns += 1
        if late >= Self.lateMilliseconds { window[current].late += 1 }
        judge(at: now)
    }

    /// There was work.
    /// - Parameters:
    ///   - busy: for so long, in milliseconds.
    ///   - joining: what of it was spent on those who came, and not on those who were there.
    ///   - calls: how many there are.
    ///   - now: when it was done.
    public mutating func note(busyMilliseconds busy: Double, joining: Double = 0, calls: Int = 0, at now: HostTime) {
        turn(to: now)
        window[current].busy += max(0, busy)
        window[current].joining += max(0, joining)
        let passed = lastWork.map { now.milliseconds(since: $0) } ?? 0
        if passed > 0 { window[current].calls += Double(calls) * min(passed, Self.windowMilliseconds) }
        lastWork = now
        mostCalls = callsInTime
    }

    /// The process used so much of the processor time that it may, in milliseconds of one that would be its own.
    public mutating func note(processorMilliseconds: Double, at now: HostTime) {
        turn(to: now)
        window[current].processor += max(0, processorMilliseconds)
    }

    /// Share of the last second's turns that ended late, 0...1.
    public var lateShare: Double {
        let turns = window.reduce(0) { $0 + $1.turns }
        guard turns >= Self.leastTurns else { return 0 }
        return Double(window.reduce(0) { $0 + $1.late }) / Double(turns)
    }

    /// Share of the last second with work, 0...1; where processor time is short, the share of what may be used of it.
    public var load: Double { min(1, used / Self.windowMilliseconds) }

    private var used: Double { max(window.reduce(0) { $0 + $1.busy }, window.reduce(0) { $0 + $1.processor }) }

    /// So many take all the time that may be taken, each as much as those of the last second did.
    private var callsInTime: Int {
        let calls = window.reduce(0) { $0 + $1.calls }
        let worked = used - window.reduce(0) { $0 + $1.joining }
        guard load >= Self.tellingLoad, calls >= Self.tellingCallMilliseconds, worked > 0 else { return .max }
        return Int(min(1e9, Self.refusingLoad * calls / worked))
    }

    private mutating func turn(to now: HostTime) {
        guard let start = bucketStart else {
            bucketStart = now
            return
        }
        let passed = Int(min(1e6, max(0, now.milliseconds(since: start) / Self.bucketMilliseconds)))
        guard passed > 0 else { return }
        for _ in 0..<min(passed, Self.buckets) {
            current = (current + 1) % Self.buckets
            window[current] = Bucket()
        }
        bucketStart =
            passed < Self.buckets ? start.advanced(byMilliseconds: Double(passed) * Self.bucketMilliseconds) : now
    }

    private mutating func judge(at now: HostTime) {
        let (share, load) = (lateShare, load)
        if admits {
            guard share >= Self.refusingShare || load >= Self.refusingLoad else { return }
            admits = false
            wellSince = nil
            return
        }
        guard share < Self.admittingShare, load < Self.admittingLoad else {
            wellSince = nil
            return
        }
        let since = wellSince ?? now
        wellSince = since
        if now.milliseconds(since: since) >= Self.recoveryMilliseconds { admits = true }
    }
}
