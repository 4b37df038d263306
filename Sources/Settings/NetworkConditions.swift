internal import Reporting

/// A network to simulate: `loss=PERCENT,burst=PACKETS,jitter=MS,spike=EVERY_MS:MS,…`.
public struct NetworkConditions: Sendable, Equatable {
    /// Packets lost, percent.
    public var lossPercent = 0.0
    /// Mean length of a loss, packets; at least 1.
    public var burstPackets = 1.0
    /// Delay varies between 0 and this, ms.
    public var jitterMilliseconds = 0.0
    /// Every so many ms…
    public var spikeIntervalMilliseconds: Double?
    /// … the delay jumps by this many ms.
    public var spikeMilliseconds = 0.0
    /// Packets that overtake, percent.
    public var reorderPercent = 0.0
    /// Packets that come twice, percent.
    public var duplicatePercent = 0.0
    /// Bottleneck, kbit/s; `nil` is none.
    public var rateKilobits: Double?
    /// Constant one-way delay, ms.
    public var delayMilliseconds = 0.0
    /// File of recorded delays and losses.
    public var tracePath: String?
    /// As it was written.
    public var expression = ""

    /// The keys and what they take.
    public static let keys: [(name: String, value: String)] = [
        ("loss", "PERCENT"), ("burst", "PACKETS"), ("jitter", "MS"), ("spike", "EVERY_MS:MS"), ("reorder", "PERCENT"),
        ("duplicate", "PERCENT"), ("rate", "KBIT"), ("delay", "MS"), ("trace", "CSV"),
    ]

    /// A clean network.
    public init() {}

    /// Reads the expression of `--network`.
    public init(parsing expression: String) throws(SettingsError) {
        self.expression = expression
        func fail(_ reason: String) -> SettingsError { .malformedNetwork(expression: expression, reason: reason) }
        var seen: Set<String> = []
        for item in expression.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard pair.count == 2 else { throw fail("'\(item)' is not KEY=VALUE") }
            let (key, value) = (pair[0], pair[1])
            guard Self.keys.contains(where: { $0.name == key }) else {
                let hint = nearestName(to: key, among: Self.keys.map(\.name))
                throw fail("unknown key \(key)" + (hint.map { " (did you mean \($0)?)" } ?? ""))
            }
            guard seen.insert(key).inserted else { throw fail("\(key) stands twice") }
            func number(_ text: some StringProtocol, _ range: ClosedRange<Double>) throws(SettingsError) -> Double {
                guard let number = Double(String(text)), range.contains(number) else {
                    throw fail("\(key)=\(value) is not within \(range.lowerBound)...\(range.upperBound)")
                }
                return number
            }
            switch key {
            case "loss": lossPercent = try number(value, 0...100)
            case "burst": burstPackets = try number(value, 1...1000)
            case "jitter": jitterMilliseconds = try number(value, 0...2000)
            case "spike":
                let both = value.split(separator: ":", omittingEmptySubsequences: false)
                guard both.count == 2 else { throw fail("spike=\(value) is not EVERY_MS:MS") }
                spikeIntervalMilliseconds = try number(both[0], 1...3_600_000)
                spikeMilliseconds = try number(both[1], 0...10_000)
            case "reorder": reorderPercent = try number(value, 0...100)
            case "duplicate": duplicatePercent = try number(value, 0...100)
            case "rate": rateKilobits = try number(value, 1...10_000_000)
            case "delay": delayMilliseconds = try number(value, 0...10_000)
            default:
                guard !value.isEmpty else { throw fail("trace= needs a file") }
                tracePath = value
            }
        }
    }
}
