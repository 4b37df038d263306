/// When the player really asks: its pulls jitter, come in blocks, and stop when the device stalls.
///
/// The clock's value is the start of the pulled stream on the host's time axis: time of a pull less the sound pulled
/// before it. The earliest of the last two seconds is what packets must be in time for; the mean is what is heard.
struct PullClock {
    /// A jump beyond this is a stall of the player, in milliseconds.
    static let stallMilliseconds = 200.0

    private var window = WindowedMinimum(windowMilliseconds: 2000, leastEvents: 20)
    private(set) var mean: Double?

    /// Nil before the first pull.
    var earliest: Double? { window.value }

    /// Notes a pull.
    /// - Returns: milliseconds that the player stood still before it, 0 as a rule.
    mutating func add(time: Double, pulledMilliseconds: Double) -> Double {
        let start = time - pulledMilliseconds
        var stall = 0.0
        if let mean, abs(start - mean) > Self.stallMilliseconds {
            stall = max(0, start - mean)
            window.removeAll()
            self.mean = nil
        }
        window.add(start, at: time)
        mean = mean.map { $0 + (start - $0) / 50 } ?? start
        return stall
    }
}
