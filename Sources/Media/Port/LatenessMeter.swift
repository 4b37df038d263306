/// How late something was, or how long it took, as a distribution: counted in tenths of a millisecond, so that a million values take
/// no more room than one.
public struct LatenessMeter: Sendable {
    private static let step = 0.1

    private var counts: [Int]
    /// Values since the last `reset`.
    public private(set) var count = 0
    /// The greatest of them, milliseconds.
    public private(set) var maximum = 0.0
    private var sum = 0.0

    /// - Parameter limitMilliseconds: values above it are told apart by nothing but `maximum`.
    public init(limitMilliseconds: Double = 200) {
        counts = [Int](repeating: 0, count: Int(max(1, limitMilliseconds / Self.step)) + 1)
    }

    /// The mean of all, milliseconds; `nil` without values.
    public var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// Adds a value in milliseconds; below 0 is in time.
    public mutating func add(_ milliseconds: Double) {
        let value = max(0, milliseconds)
        counts[Int(min(Double(counts.count - 1), value / Self.step))] += 1
        count += 1
        sum += value
        maximum = max(maximum, value)
    }

    /// Adds the values of another one, which has the same limit.
    public mutating func add(_ other: LatenessMeter) {
        precondition(counts.count == other.counts.count, "another limit")
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
        sum += other.sum
        maximum = max(maximum, other.maximum)
    }

    /// The value that a share of all, 0...1, does not exceed, in milliseconds, to a tenth; `nil` without values.
    public func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * min(1, max(0, share))).rounded(.up)))
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += number
            guard seen >= wanted else { continue }
            return index == counts.count - 1 ? maximum : min(maximum, Double(index + 1) * Self.step)
        }
        return maximum
    }

    /// Begins anew.
    public mutating func reset() {
        guard count > 0 else { return }
        for index in counts.indices { counts[index] = 0 }
        (count, maximum, sum) = (0, 0, 0)
    }
}
