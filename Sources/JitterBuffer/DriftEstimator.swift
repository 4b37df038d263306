/// The sender's clock against this host's: the slope of the fastest arrivals, least-squares over up to two minutes.
///
/// The slope is weighed against what clocks usually do: as a posterior mean it starts near 0 and trusts the line the more,
/// the longer and the straighter it is. So it serves from the sixth second on, when a slope alone would still be anything.
/// Where a calm line bends, it begins anew with the last 12 s.
struct DriftEstimator {
    /// Buckets that are kept: two minutes of them.
    private static let capacity = 60

    private let tuning: DriftTuning
    private var times = InlineArray<60, Double>(repeating: 0)
    private var minima = InlineArray<60, Double>(repeating: 0)
    private var stored = 0
    private var next = 0
    private var bucketStart: Double?
    private var bucketMinimum = Double.infinity
    private var bucketTime = 0.0
    private var lastMinimum = 0.0

    /// Parts per million, positive when the sender's clock is fast; nil before the first 6 s.
    private(set) var partsPerMillion: Double?
    /// Since when the clock has run like this, in milliseconds since the epoch; nil: since the beginning.
    private(set) var rateStart: Double?
    /// Whether 20 s went into it, or the 12 s of a calm line after a change.
    var isSettled: Bool { rateStart != nil || stored >= tuning.settledBuckets }

    init(tuning: DriftTuning) { self.tuning = tuning }

    private mutating func estimate() {
        guard stored >= tuning.leastBuckets, let line = line(through: 0..<stored) else { return }
        let slope = forgetIfBent(line) ?? line
        let prior = tuning.usual * tuning.usual
        partsPerMillion = -slope.slope * prior / (prior + slope.variance) * 1e6
    }

    /// A line through the fastest arrivals of some buckets.
    private struct Line {
        let slope: Double
        /// Mean square by which they lie beside it, at least that of the best of lines.
        let residual: Double
        /// Of the slope.
        let variance: Double
    }

    private func line(through indices: some Sequence<Int>) -> Line? {
        var count = 0.0
        for _ in indices { count += 1 }
        var meanTime = 0.0
        var meanValue = 0.0
        for index in indices {
            meanTime += times[index] / count
            meanValue += minima[index] / count
        }
        var product = 0.0
        var square = 0.0
        var total = 0.0
        for index in indices {
            let (time, value) = (times[index] - meanTime, minima[index] - meanValue)
            product += time * value
            square += time * time
            total += value * value
        }
        guard square > 0 else { return nil }
        let slope = product / square
        let residual = max(tuning.leastSpread * tuning.leastSpread, (total - slope * product) / (count - 2))
        return Line(slope: slope, residual: residual, variance: residual / square)
    }

    /// Where the latest arrivals alone lie on a straight line, and all together do not, the clock runs otherwise than before: what was
    /// before is forgotten.
    /// - Returns: the line through what is left; nil: all is kept.
    private mutating func forgetIfBent(_ line: Line) -> Line? {
        let (kept, first) = (tuning.bentBuckets, next + Self.capacity - tuning.bentBuckets)
        guard stored > kept, let recent = self.line(through: (first..<next + Self.capacity).lazy.map { $0 % Self.capacity }),
            recent.residual <= tuning.calmSpread * tuning.calmSpread,
            line.residual > tuning.bend * tuning.bend * recent.residual
        else { return nil }
        let (oldTimes, oldMinima) = (times, minima)
        for index in 0..<kept {
            times[index] = oldTimes[(first + index) % Self.capacity]
            minima[index] = oldMinima[(first + index) % Self.capacity]
        }
        (stored, next, rateStart) = (kept, kept, times[0])
        return recent
    }

    mutating func add(delay: Double, at time: Double) {
        guard let start = bucketStart else {
            bucketStart = time
            return
        }
        if time - start >= tuning.bucket {
            if bucketMinimum.isFinite {
                // A route change is no drift.
                if stored > 0, abs(bucketMinimum - lastMinimum) > tuning.routeChange {
                    (stored, next, rateStart) = (0, 0, nil)
                }
                lastMinimum = bucketMinimum
                times[next] = bucketTime
                minima[next] = bucketMinimum
                next = (next + 1) % Self.capacity
                stored = min(stored + 1, Self.capacity)
                estimate()
            }
            bucketStart = time
            bucketMinimum = .infinity
        }
        if delay < bucketMinimum {
            bucketMinimum = delay
            bucketTime = time
        }
    }

    mutating func removeAll() { self = DriftEstimator(tuning: tuning) }
}
