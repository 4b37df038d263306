/// Where the fastest arrivals lie on a straight line, then on another: the sender's clock begins to run otherwise, or what comes before
/// the network holds packets for another time.
///
/// Crystals do not, but a sound server's clock and blocks change when programs come and go: by hundreds of parts per million, and by
/// milliseconds. On a network whose fastest packets differ by more than a clock could tell, nothing is found.
struct CalmLine {
    /// Two lines, one after the other.
    struct Bend {
        let former: LeastSquares
        let latest: LeastSquares
        /// In milliseconds since the epoch: the last that lies on the former line, and the first that lies on the latest.
        let span: (end: Double, start: Double)

        /// By how much later packets come than on the former line, in milliseconds.
        var step: Double { latest.value(at: span.start) - former.value(at: span.start) }
        /// Where the lines cross.
        var crossing: Double { span.start - step / (latest.slope - former.slope) }
        /// Halfway between the lines.
        func middle(at time: Double) -> Double { (former.value(at: time) + latest.value(at: time)) / 2 }
    }

    /// Fastest arrivals of a line.
    private static let each = 5
    /// Between two lines there may be some that lie on none.
    private static let capacity = 16

    private let tuning: DriftTuning
    private var bucket = FastestArrival()
    private var times = InlineArray<16, Double>(repeating: 0)
    private var minima = InlineArray<16, Double>(repeating: 0)
    private var stored = 0
    private var next = 0

    init(tuning: DriftTuning) { self.tuning = tuning }

    /// - Parameters:
    ///   - delay: relative delay in milliseconds.
    ///   - time: arrival in milliseconds since the epoch.
    ///   - expected: the slope as far as it is known.
    /// - Returns: what is new, where something is.
    mutating func add(delay: Double, at time: Double, expecting expected: Double) -> Bend? {
        guard let fastest = bucket.add(delay: delay, at: time, every: tuning.calmBucket) else { return nil }
        times[next] = fastest.time
        minima[next] = fastest.delay
        next = (next + 1) % Self.capacity
        stored = min(stored + 1, Self.capacity)
        guard let bend = bend(from: expected) else { return nil }
        // What is found next must lie on a line after this one.
        stored = Self.each
        return bend
    }

    private func bend(from expected: Double) -> Bend? {
        // One that still changes with each arrival has a bend within it.
        guard let latest = line(before: 0), let before = line(before: 1),
            abs(latest.slope - before.slope) <= tuning.bend / 2
        else { return nil }
        var end = Self.each
        while end + Self.each <= stored {
            if let former = line(before: end) {
                let bend = Bend(former: former, latest: latest, span: (times[index(end)], times[index(Self.each - 1)]))
                let isNew = abs(latest.slope - expected) > tuning.bend || abs(bend.step) > tuning.step
                // What is longer is another route.
                return isNew && abs(bend.step) <= tuning.routeChange ? bend : nil
            }
            end += 1
        }
        return nil
    }

    /// The line through the last ones but `later`, where it is straight.
    private func line(before later: Int) -> LeastSquares? {
        guard stored >= later + Self.each else { return nil }
        let line = LeastSquares(count: Self.each) {
            let index = index(later + $0)
            return (times[index], minima[index])
        }
        return line.flatMap { $0.residual <= tuning.calmSpread * tuning.calmSpread ? $0 : nil }
    }

    /// - Parameter age: 0 for the latest.
    private func index(_ age: Int) -> Int { (next + Self.capacity - 1 - age) % Self.capacity }
}
