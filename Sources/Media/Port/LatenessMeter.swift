/// How late something that has its time was, as a distribution: counted in tenths of a millisecond, so that a million values take no
/// more room than one.
public struct LatenessMeter: Sendable {
    private static let step = 0.1
    private static let steps = 2000

    private var counts = [Int](repeating: 0, count: Self.steps + 1)
    /// Values since the last `reset`.
    public private(set) var count = 0
    /// The greatest of them, milliseconds.
    public private(set) var maximum = 0.0

    public init() {}

    /// Adds a value in milliseconds; below 0 is in time.
    public mutating func add(_ milliseconds: Double) {
        let value = max(0, milliseconds)
        counts[Int(min(Double(Self.steps), value / Self.step))] += 1
        count += 1
        maximum = max(maximum, value)
    }

    /// The value that a share of all, 0...1, does not exceed, in milliseconds, to a tenth; `nil` without values.
    public func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        let wanted = max(1, Int((Double(count) * min(1, max(0, share))).rounded(.up)))
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += number
            if seen >= wanted { return min(maximum, Double(index + 1) * Self.step) }
        }
        return maximum
    }

    /// Begins anew.
    public mutating func reset() {
        guard count > 0 else { return }
        for index in counts.indices { counts[index] = 0 }
        (count, maximum) = (0, 0)
    }
}
