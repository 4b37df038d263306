import Realtime

/// Timing on a machine that does other things as well: many short runs, and medians of them.
enum Measure {
    /// Nanoseconds of one call of `body`: it is called `count` times in one go.
    @inline(__always)
    static func nanoseconds(_ count: Int, _ body: () -> Void) -> Double {
        let start = HostTime.monotonicNow()
        for _ in 0..<count { body() }
        return HostTime.monotonicNow().milliseconds(since: start) * 1e6 / Double(count)
    }

    /// The middle value; the mean of the two middle ones of an even number.
    static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
