/// When the player really asks: its pulls jitter, come in blocks, and stop when the device stalls.
///
/// The clock's value is the start of the pulled stream on the host's time axis: time of a pull less the sound pulled
/// before it. The earliest of the last two seconds is what packets must be in time for; the mean is what is heard.
struct PullClock {
    private let tuning: PullClockTuning
    private var window: WindowedMinimum
    private var drift: DriftEstimator
    private(set) var mean: Double?

    init(tuning: PullClockTuning, drift driftTuning: DriftTuning) {
        self.tuning = tuning
        var driftTuning = driftTuning
        driftTuning.routeChange = tuning.step
        drift = DriftEstimator(tuning: driftTuning)
        window = WindowedMinimum(windowMilliseconds: tuning.window, leastEvents: tuning.windowPulls)
    }

    /// Nil before the first pull.
    var earliest: Double? { window.value }

    /// The player's clock against this host's, in parts per million, positive when the player's runs fast; nil until it has asked
    /// for 20 s.
    var driftPPM: Double? { drift.isSettled ? drift.partsPerMillion : nil }

    /// From now on the player asks so many milliseconds later than it did: it gave up sound that it held.
    mutating func move(by milliseconds: Double) {
        window.shift(by: milliseconds)
        mean = mean.map { $0 + milliseconds }
        drift.removeAll()
    }

    /// Notes a pull.
    /// - Returns: milliseconds that the player stood still before it, 0 as a rule.
    mutating func add(time: Double, pulledMilliseconds: Double) -> Double {
        let start = time - pulledMilliseconds
        var stall = 0.0
        if let mean, abs(start - mean) > tuning.stall {
            stall = max(0, start - mean)
            window.removeAll()
            drift.removeAll()
            self.mean = nil
        }
        window.add(start, at: time)
        drift.add(delay: start, at: time)
        mean = mean.map { $0 + (start - $0) / tuning.meanPulls } ?? start
        return stall
    }
}
