/// Differences of relative transit times over an interval, in clock units: the jitter of RFC 3611 section 4.6.
public struct JitterSummary: Sendable, Hashable {
    public private(set) var count = 0
    public private(set) var minimum = 0.0
    public private(set) var maximum = 0.0
    private var sum = 0.0
    private var squares = 0.0

    init() {}

    mutating func add(_ difference: Double) {
        minimum = count == 0 ? difference : min(minimum, difference)
        maximum = max(maximum, difference)
        count += 1
        sum += difference
        squares += difference * difference
    }

    public var mean: Double { count == 0 ? 0 : sum / Double(count) }

    public var deviation: Double {
        count == 0 ? 0 : max(0, squares / Double(count) - mean * mean).squareRoot()
    }
}
