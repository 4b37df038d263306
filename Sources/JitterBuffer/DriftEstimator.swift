/// The sender's clock against this host's: the slope of the fastest arrivals, least-squares over up to two minutes.
///
/// The slope is weighed against what clocks usually do: as a posterior mean it starts near 0 and trusts the line the more,
/// the longer and the straighter it is. So it serves from the sixth second on, when a slope alone would still be anything.
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
    /// Whether 20 s went into it.
    var isSettled: Bool { stored >= tuning.settledBuckets }

    init(tuning: DriftTuning) { self.tuning = tuning }

    private mutating func estimate() {
        guard stored >= tuning.leastBuckets else { return }
        let count = Double(stored)
        var meanTime = 0.0
        var meanValue = 0.0
        for index in 0..<stored {
            meanTime += times[index] / count
            meanValue += minima[index] / count
        }
        var product = 0.0
        var square = 0.0
        var total = 0.0
        for index in 0..<stored {
            let (time, value) = (times[index] - meanTime, minima[index] - meanValue)
            product += time * value
            square += time * time
            total += value * value
        }
        guard square > 0 else { return }
        let slope = product / square
        let residual = max(tuning.leastSpread * tuning.leastSpread, (total - slope * product) / (count - 2))
        let prior = tuning.usual * tuning.usual
        partsPerMillion = -slope * prior / (prior + residual / square) * 1e6
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
                    stored = 0
                    next = 0
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
