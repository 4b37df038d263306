import Glibc

/// A wall-clock time, as events carry it.
public struct Timestamp: Sendable, Equatable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var millisecondsSince1970: Int64

    public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

    /// The wall clock now.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// RFC 3339 in UTC with milliseconds, such as `2026-02-03T04:05:06.789Z`.
    public var text: String {
        var (seconds, milliseconds) = millisecondsSince1970.quotientAndRemainder(dividingBy: 1000)
        if milliseconds < 0 {
            milliseconds += 1000
            seconds -= 1
        }
        var clock = time_t(seconds)
        var parts = tm()
        gmtime_r(&clock, &parts)
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date =
            "\(padded(Int(parts.tm_year) + 1900, 4))-\(padded(Int(parts.tm_mon) + 1, 2))-"
            + padded(Int(parts.tm_mday), 2)
        let time = "\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))"
        return "\(date)T\(time).\(padded(Int(milliseconds), 3))Z"
    }
}
