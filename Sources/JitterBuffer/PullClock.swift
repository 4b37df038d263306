/// When the player really asks: its pulls jitter, come in blocks, and stop when the device stalls.
///
/// The clock's value is the start of the pulled stream on the host's time axis: time of a pull less the sound pulled
/// before it. The earliest of the last two seconds is what packets must be in time for; the mean is what is heard.
struct PullClock {
    private let tuning: PullClockTuning
    private var window: WindowedMinimum
    private(set) var mean: Double?

    init(tuning: PullClockTuning) {
        self.tuning = tuning
        window = WindowedMinimum(windowMilliseconds: tuning.window, leastEvents: tuning.windowPulls)
    }

    /// Nil before the first pull.
    var earliest: Double? { window.value }

    /// From now on the player asks so many milliseconds later than it did; negative: earlier.
    mutating func move(by milliseconds: Double) {
        window.shift(by: milliseconds)
        mean = mean.map { $0 + milliseconds }
    }

    /// Notes a pull.
    /// - Returns: milliseconds that the player stood still before it, 0 as a rule.
    mutating func add(time: Double, pulledMilliseconds: Double) -> Double {
        let start = time - pulledMilliseconds
        var stall = 0.0
        if let mean, abs(start - mean) > tuning.stall {
            stall = max(0, start - mean)
            window.removeAll()
            self.mean = nil
        }
        window.add(start, at: time)
        mean = mean.map { $0 + (start - $0) / tuning.meanPulls } ?? start
        return stall
    }
}
