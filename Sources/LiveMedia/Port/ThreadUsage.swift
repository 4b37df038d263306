import Glibc
import Realtime

/// Processor time of the calling thread.
struct ThreadUsage {
    private var last: (time: HostTime, seconds: Double)?

    /// Of the calling thread since its start; 0 where the system does not tell.
    static var seconds: Double {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Share of one core since the last call, 0...1; 0 at the first.
    mutating func share(now: HostTime) -> Double {
        let seconds = Self.seconds
        defer { last = (now, seconds) }
        guard let last else { return 0 }
        let passed = now.milliseconds(since: last.time) / 1000
        return passed > 0 ? max(0, seconds - last.seconds) / passed : 0
    }
}
