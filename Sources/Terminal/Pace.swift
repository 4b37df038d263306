import Glibc

/// A regular moment in real time.
package struct Pace {
    private let interval: Double
    private var next: Double

    package init(every interval: Double, from start: Double) {
        self.interval = interval
        next = start + interval
    }

    /// Seconds on the monotonic clock.
    package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    package var untilNext: Double { max(0, next - Self.now()) }

    /// True once for each interval that has passed; intervals slept through are not made up for.
    package mutating func isDue() -> Bool {
        let now = Self.now()
        guard now >= next else { return false }
        next = max(next + interval, now)
        return true
    }
}
