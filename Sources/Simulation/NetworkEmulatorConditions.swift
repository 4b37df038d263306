/// What the emulated network does to packets, in one direction.
public struct NetworkConditions: Sendable, Equatable {
    /// A stall that recurs: packets that would arrive during it all arrive at its end, as after a Wi-Fi roam.
    public struct Spike: Sendable, Equatable {
        /// Milliseconds from the start of one stall to the start of the next; the first starts after this time.
        public var everyMilliseconds: Double
        /// Length of a stall in milliseconds, less than `everyMilliseconds`.
        public var milliseconds: Double

        public init(everyMilliseconds: Double, milliseconds: Double) {
            self.everyMilliseconds = everyMilliseconds
            self.milliseconds = milliseconds
        }
    }

    /// Share of packets lost, 0 ... 1.
    public var lossRatio = 0.0
    /// Mean number of packets lost in a row. Nil: losses are independent of one another.
    public var meanBurstPackets: Double?
    /// Extra delay, uniform between 0 and this many milliseconds; it may reorder packets.
    public var jitterMilliseconds = 0.0
    /// Recurring stalls, if any.
    public var spike: Spike?
    /// Share of packets overtaken by their successor, 0 ... 1.
    public var reorderRatio = 0.0
    /// Share of packets that arrive twice, 0 ... 1.
    public var duplicateRatio = 0.0
    /// Speed of the link in kbit/s, headers of IPv4 and UDP included. Nil: no limit.
    public var rateKilobits: Double?
    /// Constant delay in milliseconds.
    public var delayMilliseconds = 0.0
    /// Recorded delays and losses, on top of all the others. Nil: none.
    public var trace: NetworkTrace?

    /// A perfect network.
    public init() {}

    /// The keys of `init(parsing:)`.
    public static let keys = [
        "loss", "burst", "jitter", "spike", "reorder", "duplicate", "rate", "delay", "trace",
    ]

    /// Reads `loss=PERCENT,burst=PACKETS,jitter=MS,spike=EVERY_MS:MS,reorder=PERCENT,duplicate=PERCENT,rate=KBIT,
    /// delay=MS,trace=CSV`, any subset in any order; the empty text is a perfect network.
    /// - Parameter loadTrace: finds a trace: a `NetworkScenario` by its name, else a file, unless told otherwise.
    public init(
        parsing text: String,
        loadTrace: (String) throws(NetworkConditionsError) -> NetworkTrace = { path throws(NetworkConditionsError) in
            try NetworkTrace(named: path)
        }
    ) throws(NetworkConditionsError) {
        var seen = [String]()
        for item in text.split(separator: ",", omittingEmptySubsequences: text.isEmpty) {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = String(parts[0])
            let value = parts.count > 1 ? String(parts[1]) : ""
            guard Self.keys.contains(key) else { throw .unknownKey(key) }
            guard !seen.contains(key) else { throw .repeatedKey(key) }
            seen.append(key)
            try set(key, value, loadTrace)
        }
        try checkBurst()
    }

    private mutating func set(
        _ key: String, _ value: String, _ loadTrace: (String) throws(NetworkConditionsError) -> NetworkTrace
    ) throws(NetworkConditionsError) {
        func number(_ range: ClosedRange<Double>, _ unit: String) throws(NetworkConditionsError) -> Double {
            guard let number = Double(value), range.contains(number) else {
                let limits = "\(short(range.lowerBound)) to \(short(range.upperBound))"
                throw .badValue(key: key, value: value, expected: "\(unit) from \(limits)")
            }
            return number
        }
        switch key {
        case "loss": lossRatio = try number(0...100, "a percentage") / 100
        case "burst": meanBurstPackets = try number(1...1_000, "packets")
        case "jitter": jitterMilliseconds = try number(0...60_000, "milliseconds")
        case "spike": spike = try parseSpike(value)
        case "reorder": reorderRatio = try number(0...100, "a percentage") / 100
        case "duplicate": duplicateRatio = try number(0...100, "a percentage") / 100
        case "rate": rateKilobits = try number(1...10_000_000, "kbit/s")
        case "delay": delayMilliseconds = try number(0...60_000, "milliseconds")
        default:
            guard !value.isEmpty else {
                throw .badValue(key: key, value: value, expected: "the path of a CSV file, or a scenario's name")
            }
            trace = try loadTrace(value)
        }
    }

    private func parseSpike(_ value: String) throws(NetworkConditionsError) -> Spike {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let every = parts[0], let length = parts[1], (1...86_400_000).contains(every),
            length > 0, length < every
        else {
            throw .badValue(
                key: "spike", value: value, expected: "EVERY_MS:MS with MS above 0 and below EVERY_MS, as in 5000:120")
        }
        return Spike(everyMilliseconds: every, milliseconds: length)
    }

    /// Short bursts cannot make up a high loss when at least one packet must get through between two of them.
    private func checkBurst() throws(NetworkConditionsError) {
        guard let burst = meanBurstPackets else { return }
        func refusal(_ expected: String) -> NetworkConditionsError {
            .badValue(key: "burst", value: short(burst), expected: expected)
        }
        guard lossRatio > 0 else { throw refusal("loss=PERCENT beside it") }
        let least = lossRatio / (1 - lossRatio)
        guard lossRatio == 1 || least <= burst else { throw refusal("at least \(short(least)) for this loss") }
    }
}

/// A number without a needless fraction.
private func short(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int64(value)) : String(value)
}
