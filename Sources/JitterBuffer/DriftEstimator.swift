/// The sender's clock against this host's: the slope of the fastest arrivals, least-squares over up to two minutes.
///
/// The slope is weighed against what is known of the clock before: as a posterior mean it starts near 0, what clocks usually do, and
/// trusts the line the more, the longer and the straighter it is. So it serves from the sixth second on, when a slope alone would still
/// be anything. Where a calm line bends (`CalmLine`), it begins anew, near the slope that was found there.
struct DriftEstimator {
    /// Buckets that are kept: two minutes of them.
    private static let capacity = 60

    private let tuning: DriftTuning
    private var times = InlineArray<60, Double>(repeating: 0)
    private var minima = InlineArray<60, Double>(repeating: 0)
    private var stored = 0
    private var next = 0
    private var bucket = FastestArrival()
    private var lastMinimum: Double?
    private var calmLine: CalmLine
    /// The slope that is expected, and its variance, as fractions.
    private var prior: (slope: Double, variance: Double)

    /// Parts per million, positive when the sender's clock is fast; nil before the first 6 s.
    private(set) var partsPerMillion: Double?
    /// Since when the line has been like this; nil: since the beginning.
    private(set) var bend: CalmLine.Bend?
    /// Whether 20 s went into it, or a calm line was found to bend.
    var isSettled: Bool { bend != nil || stored >= tuning.settledBuckets }

    init(tuning: DriftTuning) {
        self.tuning = tuning
        calmLine = CalmLine(tuning: tuning)
        prior = (0, tuning.usual * tuning.usual)
    }

    private mutating func estimate() {
        guard stored >= tuning.leastBuckets,
            let line = LeastSquares(count: stored, { (times[$0], minima[$0]) })
        else { return }
        let variance = max(tuning.leastSpread * tuning.leastSpread, line.residual) / line.square
        let slope = (line.slope * prior.variance + prior.slope * variance) / (prior.variance + variance)
        partsPerMillion = -slope * 1e6
    }

    private mutating func beginAnew(with bend: CalmLine.Bend) {
        (stored, next) = (0, 0)
        prior = (bend.latest.slope, tuning.bendSpread * tuning.bendSpread)
        (partsPerMillion, self.bend) = (-bend.latest.slope * 1e6, bend)
    }

    mutating func add(delay: Double, at time: Double) {
        if let known = partsPerMillion, let bend = calmLine.add(delay: delay, at: time, expecting: -known * 1e-6) {
            beginAnew(with: bend)
        }
        guard let fastest = bucket.add(delay: delay, at: time, every: tuning.bucket) else { return }
        // A route change is no drift.
        if let lastMinimum, abs(fastest.delay - lastMinimum) > tuning.routeChange {
            (stored, next, bend) = (0, 0, nil)
        }
        lastMinimum = fastest.delay
        times[next] = fastest.time
        minima[next] = fastest.delay
        next = (next + 1) % Self.capacity
        stored = min(stored + 1, Self.capacity)
        estimate()
    }

    mutating func removeAll() { self = DriftEstimator(tuning: tuning) }
}
