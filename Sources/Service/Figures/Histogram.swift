/// How often a value lay below each of some bounds.
package struct Histogram: Sendable {
    /// Upper bounds, rising.
    private let bounds: [Double]
    private var counts: [UInt64]
    /// Of all values.
    package private(set) var sum = 0.0

    package init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// Takes a value; what is no number is left out.
    package mutating func note(_ value: Double) {
        guard value.isFinite else { return }
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// Takes a value of milliseconds as seconds; nothing is left out.
    mutating func note(milliseconds: Double?) {
        if let milliseconds { note(milliseconds / 1000) }
    }

    package var count: UInt64 { counts.reduce(0, +) }

    /// Values at or below each bound, the last of which has none.
    package var cumulative: [(bound: Double?, count: UInt64)] {
        var total: UInt64 = 0
        return counts.indices.map { index in
            total += counts[index]
            return (index < bounds.count ? bounds[index] : nil, total)
        }
    }
}
