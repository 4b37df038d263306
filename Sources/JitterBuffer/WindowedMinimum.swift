/// Least value of the last seconds, in buckets: each covers `bucketMilliseconds` and at least `bucketEvents` values, so
/// that a stream that pauses does not forget what it knew.
struct WindowedMinimum {
    private static let buckets = 20

    private let bucketMilliseconds: Double
    private let bucketEvents: Int
    private var minima = InlineArray<20, Double>(repeating: .infinity)
    private var current = 0
    private var currentStart = -Double.infinity
    private var currentEvents = 0
    /// The least of all buckets: asked for far more often than it is forgotten.
    private var least = Double.infinity

    init(windowMilliseconds: Double, leastEvents: Int) {
        bucketMilliseconds = windowMilliseconds / Double(Self.buckets)
        bucketEvents = (leastEvents + Self.buckets - 1) / Self.buckets
    }

    /// Nil before the first value.
    var value: Double? { least.isFinite ? least : nil }

    mutating func add(_ value: Double, at time: Double) {
        if currentStart == -.infinity { currentStart = time }
        if time - currentStart >= bucketMilliseconds, currentEvents >= bucketEvents {
            current = (current + 1) % Self.buckets
            minima[current] = .infinity
            currentStart = time
            currentEvents = 0
            least = .infinity
            for index in 0..<Self.buckets { least = min(least, minima[index]) }
        }
        minima[current] = min(minima[current], value)
        least = min(least, value)
        currentEvents += 1
    }

    mutating func shift(by offset: Double) {
        for index in 0..<Self.buckets { minima[index] += offset }
        least += offset
    }

    mutating func removeAll() {
        for index in 0..<Self.buckets { minima[index] = .infinity }
        least = .infinity
        currentStart = -.infinity
        currentEvents = 0
    }
}
