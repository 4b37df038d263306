/// The sender's clock against this host's: the slope of the fastest arrivals, least-squares over up to two minutes.
struct DriftEstimator {
    private static let bucketMilliseconds = 2000.0
    private static let capacity = 60

    private var times = InlineArray<60, Double>(repeating: 0)
    private var minima = InlineArray<60, Double>(repeating: 0)
    private var stored = 0
    private var next = 0
    private var bucketStart: Double?
    private var bucketMinimum = Double.infinity
    private var bucketTime = 0.0
    private var lastMinimum = 0.0

    /// Parts per million, positive when the sender's clock is fast; nil before 20 s.
    var partsPerMillion: Double? {
        guard stored >= 10 else { return nil }
        var meanTime = 0.0
        var meanValue = 0.0
        for index in 0..<stored {
            meanTime += times[index] / Double(stored)
            meanValue += minima[index] / Double(stored)
        }
        var product = 0.0
        var square = 0.0
        for index in 0..<stored {
            product += (times[index] - meanTime) * (minima[index] - meanValue)
            square += (times[index] - meanTime) * (times[index] - meanTime)
        }
        return square > 0 ? -product / square * 1e6 : nil
    }

    mutating func add(delay: Double, at time: Double) {
        guard let start = bucketStart else {
            bucketStart = time
            return
        }
        if time - start >= Self.bucketMilliseconds {
            if bucketMinimum.isFinite {
                // A route change is no drift.
                if stored > 0, abs(bucketMinimum - lastMinimum) > 15 {
                    stored = 0
                    next = 0
                }
                lastMinimum = bucketMinimum
                times[next] = bucketTime
                minima[next] = bucketMinimum
                next = (next + 1) % Self.capacity
                stored = min(stored + 1, Self.capacity)
            }
            bucketStart = time
            bucketMinimum = .infinity
        }
        if delay < bucketMinimum {
            bucketMinimum = delay
            bucketTime = time
        }
    }

    mutating func removeAll() { self = DriftEstimator() }
}
