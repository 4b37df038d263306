import Realtime

/// What the work for many calls consists of.
public enum PortStage: Int, Sendable, CaseIterable {
    /// Packets are read, told apart and put into jitter buffers.
    case receive
    /// Frames are taken from jitter buffers, decoded.
    case hear
    /// Frames are mixed, encoded, made packets.
    case say
    /// RTCP, time-outs, events.
    case report
    /// Packets are handed to the system.
    case send

    /// Those of calls that have ports of their own: what they say is handed to the system at once.
    public static let ofSessions: [PortStage] = [.receive, .hear, .say, .report]

    /// Its name in figures.
    public var name: String { "\(self)" }
}

/// How a loop's time divides into stages: what is done once a turn is measured in each, what is done once a call in some turns
/// only, since looking at the clock costs too. Sans-I/O.
public struct StageMeter: Sendable {
    /// Of so many turns one is measured call by call: each call's turn is among them, whichever turns it has of 2, 4 or more.
    static let every = 17

    private var nanoseconds = InlineArray<5, Int64>(repeating: 0)
    private var turns = 0
    /// Whether the turn at hand is measured call by call.
    public private(set) var isSampled = false

    public init() {}

    /// Another turn begins.
    public mutating func begin() {
        turns &+= 1
        isSampled = turns % Self.every == 0
    }

    /// Work that every turn is measured for took from `start` to `end`.
    /// - Parameters:
    ///   - stage: what was done.
    ///   - start: when it began.
    ///   - end: when it was done.
    public mutating func add(_ stage: PortStage, from start: HostTime, to end: HostTime) {
        nanoseconds[stage.rawValue] &+= end.nanoseconds &- start.nanoseconds
    }

    /// Work of a sampled turn took from `start` to `end`; it stands for that of the others.
    /// - Parameters:
    ///   - stage: what was done.
    ///   - start: when it began.
    ///   - end: when it was done.
    public mutating func addSampled(_ stage: PortStage, from start: HostTime, to end: HostTime) {
        nanoseconds[stage.rawValue] &+= Int64(Self.every) &* (end.nanoseconds &- start.nanoseconds)
    }

    /// Shares of the time since the last call that each stage took, in cores, and begins anew.
    /// - Parameter milliseconds: how long that was.
    public mutating func takeShares(ofMilliseconds milliseconds: Double) -> [PortStage: Double] {
        defer { for index in 0..<5 { nanoseconds[index] = 0 } }
        guard milliseconds > 0 else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: PortStage.allCases.map { ($0, Double(nanoseconds[$0.rawValue]) / 1e6 / milliseconds) })
    }
}
