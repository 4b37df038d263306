public import Realtime

/// The wall clock and the monotonic clock, read at one moment.
public struct ClockReading: Sendable, Equatable {
    /// `CLOCK_REALTIME` in nanoseconds since 1970.
    public var wall: Int64
    public var monotonic: HostTime

    public init(wall: Int64, monotonic: HostTime) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The clocks are read again when more than this passed between the readings, in nanoseconds: the thread was interrupted.
    private static let maximumGap: Int64 = 10_000

    /// Both clocks now.
    public static func now() -> ClockReading {
        var before = HostTime.monotonicNow()
        var wall = WallClock.nanoseconds()
        var after = HostTime.monotonicNow()
        for _ in 0..<4 where after.nanoseconds &- before.nanoseconds > maximumGap {
            before = HostTime.monotonicNow()
            wall = WallClock.nanoseconds()
            after = HostTime.monotonicNow()
        }
        return ClockReading(wall: wall, monotonic: before)
    }

    /// Wall clock less monotonic clock, in nanoseconds.
    var offset: Int64 { wall &- monotonic.nanoseconds }
}

/// Maps the kernel's receive stamps, which are wall-clock time, to the monotonic host clock, also when the wall clock is set
/// while datagrams wait in the socket. One for each socket.
///
/// Whatever waits in the socket came after the socket was last seen empty. When the offset between the clocks moved since then,
/// a stamp was taken either before the step or after it. Only a time between that last look and now can be the arrival; where
/// both readings of a stamp are possible, the later one counts: a packet that seems late by no more than it waited costs nothing,
/// one that seems early would be taken for the network's shortest travel for a long time.
public struct ReceiveClock: Sendable {
    /// Greatest believable time between a datagram's arrival and our reading it, in nanoseconds.
    private static let maximumAge: Int64 = 10_000_000_000
    /// A change of the offset up to this is drift, or the clocks' reading, and no step; in nanoseconds.
    private static let leastStep: Int64 = 1_000_000

    /// When the socket was last seen empty, or opened.
    private var empty: ClockReading
    private var latest: ClockReading

    /// - Parameter reading: when the socket was opened, before it could receive.
    public init(_ reading: ClockReading = .now()) {
        empty = reading
        latest = reading
    }

    /// Datagrams were taken from the socket at `reading`: call it before `hostTime` is asked for theirs.
    public mutating func received(at reading: ClockReading = .now()) { latest = reading }

    /// What was taken at the last reading was all there was, or there was nothing: call it after the last `hostTime`.
    public mutating func emptied() { empty = latest }

    /// Nothing was there at `reading`. A socket that is looked at more often than it receives tells more closely when a datagram
    /// came.
    public mutating func foundNothing(at reading: ClockReading = .now()) {
        latest = reading
        empty = reading
    }

    /// The arrival of a datagram whose kernel stamp is `stamp`, in nanoseconds since 1970; now when it has none (0), or when no
    /// reading of it is possible.
    public func hostTime(realtimeNanoseconds stamp: Int64) -> HostTime {
        guard stamp != 0 else { return latest.monotonic }
        let after = stamp &- latest.offset
        let step = latest.offset &- empty.offset
        guard step.magnitude > UInt64(Self.leastStep) else {
            let earliest = latest.monotonic.nanoseconds &- Self.maximumAge
            return possible(after, from: earliest).map { HostTime(nanoseconds: $0) } ?? latest.monotonic
        }
        let earliest = empty.monotonic.nanoseconds
        let before = possible(stamp &- empty.offset, from: earliest)
        let best = possible(after, from: earliest).map { max($0, before ?? $0) } ?? before
        return best.map { HostTime(nanoseconds: $0) } ?? latest.monotonic
    }

    private func possible(_ time: Int64, from earliest: Int64) -> Int64? {
        time >= earliest && time <= latest.monotonic.nanoseconds ? time : nil
    }
}
