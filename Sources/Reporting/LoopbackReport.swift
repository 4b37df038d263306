import Metrics

/// What a loopback test found: one set of statistics for each direction, kept by its receiver.
public struct LoopbackReport: Sendable, Equatable {
    /// What B heard of A.
    public var aToB = CallStatistics()
    /// What A heard of B.
    public var bToA = CallStatistics()
    /// Media time, s.
    public var durationSeconds: Double?
    /// Until the echo canceller had found the room, s.
    public var convergenceSeconds: Double?
    /// Gaps in what was heard, both directions.
    public var gaps: Int?
    /// The seed that repeats this run.
    public var seed: UInt64?
    /// The network that was simulated, as `--network` writes it; `nil` for a clean one.
    public var scenario: String?
    /// How each `--assert` went.
    public var assertions: [AssertionOutcome] = []

    public init() {}

    /// The report without the outcome of assertions: what these are evaluated on.
    public var measurements: JSONValue {
        var members: [JSONMember] = []
        if let scenario { members.append(JSONMember("scenario", .string(scenario))) }
        if let seed {
            // A number where JSON's readers keep it exact.
            members.append(JSONMember("seed", Int(exactly: seed).map { .integer($0) } ?? .string(String(seed))))
        }
        if let durationSeconds { members.append(JSONMember("duration_s", .number(durationSeconds, decimals: 2))) }
        if let convergenceSeconds {
            members.append(JSONMember("convergence_s", .number(convergenceSeconds, decimals: 2)))
        }
        if let gaps { members.append(JSONMember("gaps", .integer(gaps))) }
        members.append(JSONMember("a_to_b", aToB.json))
        members.append(JSONMember("b_to_a", bToA.json))
        return .object(members)
    }

    /// The whole report.
    public var json: JSONValue { measurements.adding(assertions) }

    /// The names of the two directions.
    public static let directions = ["a_to_b", "b_to_a"]

    /// Names that belong to the test as a whole.
    public static let ownPaths = ["duration_s", "convergence_s", "gaps"].map { ComparablePath($0, .number) }

    /// Names that `--assert` may use on a loopback test; a name without a direction is held in both.
    public static let comparablePaths =
        ownPaths + CallStatistics.comparablePaths
        + directions.flatMap { direction in CallStatistics.comparablePaths.map { $0.below(direction) } }
}
