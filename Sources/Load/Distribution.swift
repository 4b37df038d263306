import Reporting

/// Values of many calls, and what of them is told.
package struct Distribution {
    private var values: [Double] = []
    private var isSorted = true

    var count: Int { values.count }

    package init() {}

    package mutating func add(_ value: Double) {
        values.append(value)
        isSorted = false
    }

    private mutating func sort() {
        if !isSorted { values.sort() }
        isSorted = true
    }

    /// The value that a share of all, 0...1, does not exceed; `nil` without values.
    package mutating func quantile(_ share: Double) -> Double? {
        sort()
        guard !values.isEmpty else { return nil }
        return values[min(values.count - 1, max(0, Int((share * Double(values.count)).rounded(.up)) - 1))]
    }

    /// Of the figures that are told of each distribution.
    package mutating func summary() -> FigureSummary {
        guard !values.isEmpty else { return FigureSummary() }
        let mean = values.reduce(0, +) / Double(values.count)
        return FigureSummary(
            minimum: quantile(0), median: quantile(0.5), quantile90: quantile(0.9), quantile99: quantile(0.99),
            maximum: quantile(1), mean: mean)
    }
}

/// What is told of values of many calls.
package struct FigureSummary: Equatable {
    package var minimum: Double?
    package var median: Double?
    package var quantile90: Double?
    package var quantile99: Double?
    package var maximum: Double?
    package var mean: Double?

    /// By the names that assertions and JSON have for them.
    var members: [(name: String, value: Double?)] {
        [
            ("min", minimum), ("p50", median), ("p90", quantile90), ("p99", quantile99), ("max", maximum), ("mean", mean),
        ]
    }

    static let names = ["min", "p50", "p90", "p99", "max", "mean"]

    func json(decimals: Int) -> JSONValue {
        .object(members.map { JSONMember($0.name, $0.value.map { .number($0, decimals: decimals) } ?? .null) })
    }
}
