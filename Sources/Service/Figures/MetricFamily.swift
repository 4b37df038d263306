/// One metric as Prometheus reads it: its name below `yodel_`, what it is, what is said of it, and its values.
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    /// Behind the prefix.
    package let name: String
    package let kind: Kind
    package let help: String
    /// Names of its labels, in order; `le` of a histogram is not among them.
    package let labels: [String]
    private var lines = ""

    /// A counter or a gauge.
    init(_ name: String, _ kind: Kind, _ help: String, labels: [String] = [], _ samples: [(values: [String], value: Double)]) {
        (self.name, self.kind, self.help, self.labels) = (name, kind, help, labels)
        for sample in samples { add("", Array(zip(labels, sample.values)), sample.value) }
    }

    /// A histogram, for each value of its one label where it has one.
    init(_ name: String, _ help: String, label: String? = nil, _ samples: [(value: String, histogram: Histogram)]) {
        (self.name, kind, self.help) = (name, .histogram, help)
        labels = label.map { [$0] } ?? []
        for (value, histogram) in samples {
            let own = label.map { [($0, value)] } ?? []
            for (bound, count) in histogram.cumulative {
                add("_bucket", own + [("le", bound.map { MetricText.number($0) } ?? "+Inf")], Double(count))
            }
            add("_sum", own, histogram.sum)
            add("_count", own, Double(histogram.count))
        }
    }

    private mutating func add(_ suffix: String, _ labels: [(String, String)], _ value: Double) {
        let list = labels.map { "\($0.0)=\"\(MetricText.escaped($0.1))\"" }.joined(separator: ",")
        lines += "yodel_\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(MetricText.number(value))\n"
    }

    /// Text format 0.0.4.
    package var text: String {
        "# HELP yodel_\(name) \(help)\n# TYPE yodel_\(name) \(kind.rawValue)\n" + lines
    }
}

private enum MetricText {
    static func number(_ value: Double) -> String {
        value.rounded() == value && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    static func escaped(_ text: String) -> String {
        // By code point: a mark that combines with a quote does not hide it.
        text.unicodeScalars.map { scalar -> String in
            scalar == "\\" ? "\\\\" : scalar == "\"" ? "\\\"" : Character(scalar).isNewline ? "\\n" : String(scalar)
        }.joined()
    }
}
