/// How a simulated machine stands still: a host that takes a container's processors away, a laptop that saves power.
public struct MachineConditions: Sendable, Equatable {
    /// Whose machine it is: both endpoints sit on one, or only one side's stands still.
    public enum Place: String, Sendable, CaseIterable {
        case both, a, b
    }

    /// Stops that recur.
    public struct Recurring: Sendable, Equatable {
        /// Mean time from one stop's begin to the next one's, in seconds; exponentially distributed.
        public var everySeconds: Double
        /// Length of a stop, in milliseconds; every length is as likely.
        public var milliseconds: ClosedRange<Double>

        public init(everySeconds: Double, milliseconds: ClosedRange<Double>) {
            self.everySeconds = everySeconds
            self.milliseconds = milliseconds
        }
    }

    /// One stop.
    public struct Single: Sendable, Equatable {
        /// When it begins, in seconds.
        public var atSeconds: Double
        /// Its length, in milliseconds.
        public var milliseconds: Double

        public init(atSeconds: Double, milliseconds: Double) {
            self.atSeconds = atSeconds
            self.milliseconds = milliseconds
        }
    }

    /// Stops that recur, if any.
    public var recurring: Recurring?
    /// When the first and the last of them may begin, in seconds.
    public var window: ClosedRange<Double> = 0...longestSeconds
    /// Stops beside those.
    public var singles: [Single] = []
    /// Which machine stands still.
    public var place = Place.both

    /// A machine that never stands still.
    public init() {}

    private static let longestSeconds = 86_400.0

    /// Reads `stops=EVERY_S:MS[-MS],stop=AT_S:MS,from=S,to=S,side=a|b`, any subset in any order but for `stop`, which may stand
    /// there several times.
    public init(parsing text: String) throws(MachineConditionsError) {
        var seen: [String] = []
        var bounds = (from: 0.0, to: Self.longestSeconds)
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (key, value) = (parts[0], parts.count > 1 ? parts[1] : "")
            guard key == "stop" || !seen.contains(key) else { throw .repeatedKey(key) }
            seen.append(key)
            switch key {
            case "stops": recurring = try Self.recurring(value)
            case "stop": singles.append(try Self.single(value))
            case "from": bounds.from = try Self.seconds(key, value)
            case "to": bounds.to = try Self.seconds(key, value)
            case "side":
                guard let side = Place(rawValue: value), side != .both else {
                    throw .badValue(key: key, value: value, expected: "a or b")
                }
                place = side
            default: throw .unknownKey(key)
            }
        }
        guard bounds.from <= bounds.to else {
            throw .badValue(key: "from", value: "\(bounds.from)", expected: "a time before to=\(bounds.to)")
        }
        window = bounds.from...bounds.to
    }

    private static func seconds(_ key: String, _ value: String) throws(MachineConditionsError) -> Double {
        guard let number = Double(value), (0...longestSeconds).contains(number) else {
            throw .badValue(key: key, value: value, expected: "seconds from 0 to 86400")
        }
        return number
    }

    /// A machine that stands still for more than half of the time is none.
    private static func recurring(_ value: String) throws(MachineConditionsError) -> Recurring {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false)
        let lengths = parts.count == 2 ? parts[1].split(separator: "-", omittingEmptySubsequences: false) : []
        guard parts.count == 2, (1...2).contains(lengths.count), let every = Double(parts[0]),
            let low = Double(lengths[0]), let high = Double(lengths[lengths.count - 1]),
            (0.01...longestSeconds).contains(every), low > 0, low <= high, high <= 500 * every
        else {
            throw .badValue(
                key: "stops", value: value, expected: "EVERY_S:MS or EVERY_S:MS-MS, MS at most half of EVERY_S, as in 0.7:4-21")
        }
        return Recurring(everySeconds: every, milliseconds: low...high)
    }

    private static func single(_ value: String) throws(MachineConditionsError) -> Single {
        let parts = value.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard parts.count == 2, let at = parts[0], let length = parts[1], (0...longestSeconds).contains(at), length > 0,
            length <= 60_000
        else { throw .badValue(key: "stop", value: value, expected: "AT_S:MS, as in 30:60") }
        return Single(atSeconds: at, milliseconds: length)
    }
}

/// What is wrong with a `--machine` description; nothing was started, the person corrects the text.
public enum MachineConditionsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The call is a live one.
    case live
    /// There is no such key.
    case unknownKey(String)
    /// The key stands there twice.
    case repeatedKey(String)
    /// The value cannot be read or is out of range; `expected` says what is.
    case badValue(key: String, value: String, expected: String)

    public var description: String {
        switch self {
        case .live: "a machine is made to stand still in virtual time only: add --offline"
        case .unknownKey(let key): "unknown machine key '\(key)'; known are stops, stop, from, to, side"
        case .repeatedKey(let key): "machine key '\(key)' is given twice"
        case .badValue(let key, let value, let expected): "machine \(key)=\(value): expected \(expected)"
        }
    }
}
