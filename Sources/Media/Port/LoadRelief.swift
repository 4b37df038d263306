import Realtime

/// What a loop gives up while it has too much to do, what hurts least first: work that goes into the packets of new calls, then of
/// all, and then (`Admission`) calls that have not begun. A call that runs is never cut. Sans-I/O.
public struct LoadRelief: Sendable {
    /// How far it has gone.
    public enum Level: Int, Sendable, Comparable, CaseIterable {
        case none
        /// Encoders of new calls work less.
        case newEncoders = 1
        /// Those of all calls do.
        case allEncoders
        /// They work as little as can be heard without complaint.
        case leastWork

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// Its name in figures.
        public var name: String {
            switch self {
            case .none: "none"
            case .newEncoders: "new_encoders"
            case .allEncoders: "all_encoders"
            case .leastWork: "least_work"
            }
        }
    }

    /// Complexity (0...10) of an encoder that works less, and of one that works least: half of the time of 10, a third of it.
    private static let less = 5
    private static let least = 2
    /// Share of the time with work from which each level is gone to, before nobody new is let in at 0.8.
    private static let thresholds = [0.0, 0.55, 0.65, 0.72]
    /// A level is left below its threshold by so much: what was given up would fill the rest again.
    private static let hysteresis = 0.3
    /// How long it must be so, in milliseconds.
    private static let riseMilliseconds = 300.0
    private static let fallMilliseconds = 2000.0
    /// Between two looks, in milliseconds.
    private static let lookMilliseconds = 100.0

    /// What is given up now.
    public private(set) var level = Level.none
    private var since: HostTime?
    private var wanted = Level.none
    private var nextLook: HostTime?

    public init() {}

    /// Greatest complexity of encoders of calls that begin now.
    public var complexityOfNew: Int { Self.complexity(level, from: .newEncoders) }
    /// Greatest complexity of encoders of calls that run.
    public var complexityOfRunning: Int { Self.complexity(level, from: .allEncoders) }

    private static func complexity(_ level: Level, from first: Level) -> Int {
        level >= .leastWork ? least : level >= first ? less : 10
    }

    /// Notes how much there is to do.
    /// - Parameters:
    ///   - load: share of the last second with work, 0...1.
    ///   - now: when.
    /// - Returns: whether the level is another one from now on.
    public mutating func note(load: @autoclosure () -> Double, at now: HostTime) -> Bool {
        if let nextLook, now < nextLook { return false }
        nextLook = now.advanced(byMilliseconds: Self.lookMilliseconds)
        let load = load()
        var next = level
        if let higher = Level(rawValue: level.rawValue + 1), load >= Self.thresholds[higher.rawValue] {
            next = higher
        } else if level > .none, load < Self.thresholds[level.rawValue] - Self.hysteresis {
            next = Level(rawValue: level.rawValue - 1) ?? .none
        }
        guard next != level else {
            since = nil
            return false
        }
        if since == nil || wanted != next { (since, wanted) = (now, next) }
        let needed = next > level ? Self.riseMilliseconds : Self.fallMilliseconds
        guard let since, now.milliseconds(since: since) >= needed else { return false }
        level = next
        self.since = nil
        return true
    }
}
