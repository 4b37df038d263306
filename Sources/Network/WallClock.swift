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
