import Glibc
import RTP
import Realtime

/// The wall clock, read nowhere else.
enum WallClock {
    /// `CLOCK_REALTIME` in nanoseconds since 1970.
    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension NTPTime {
    /// The wall clock now, for sender reports.
    public static func now() -> NTPTime { NTPTime(unixNanoseconds: WallClock.nanoseconds()) }
}

extension HostTime {
    /// The wall clock at host time 0, in ns since 1970, given that this time is now: for files that people read with other
    /// clocks beside them.
    public var wallClockEpoch: Int64 { WallClock.nanoseconds() &- nanoseconds }
}

/// Maps the kernel's receive stamps, which are wall-clock time, to the monotonic host clock.
struct ReceiveStampMapping {
    private let wall: Int64
    private let monotonic: HostTime

    /// Greatest believable time between a datagram's arrival and our reading it, in nanoseconds.
    private static let maximumAge: Int64 = 10_000_000_000
    /// The two clocks are read again when more than this passed between the readings: the thread was interrupted.
    private static let maximumGap: Int64 = 10_000

    init() {
        var before = HostTime.monotonicNow()
        var wall = WallClock.nanoseconds()
        var after = HostTime.monotonicNow()
        for _ in 0..<4 where after.nanoseconds &- before.nanoseconds > Self.maximumGap {
            before = HostTime.monotonicNow()
            wall = WallClock.nanoseconds()
            after = HostTime.monotonicNow()
        }
        self.wall = wall
        monotonic = before
    }

    /// The host time of a stamp; now when there is no stamp, or when the wall clock was set in between.
    func hostTime(realtimeNanoseconds stamp: Int64) -> HostTime {
        let age = wall &- stamp
        guard stamp != 0, age >= 0, age < Self.maximumAge else { return monotonic }
        return HostTime(nanoseconds: monotonic.nanoseconds &- age)
    }
}
