import Metrics

/// What a call leaves behind: how it went and what was really used.
public struct CallReport: Sendable, Equatable {
    /// Media time, s.
    public var durationSeconds: Double?
    /// Why it ended, as in `call_ended`.
    public var reason: String?
    /// The code of the last response, where the call was made by SIP.
    public var sipCode: Int?
    /// From the call to the first sign of the other side (RFC 6076 section 4.3.1), ms.
    public var postDialMilliseconds: Double?
    /// From the call to its answer, ms.
    public var setupMilliseconds: Double?
    /// From the answer until the microphone's first sample that was sent, ms; 0: it ran before.
    public var clippedAtAnswerMilliseconds: Double?
    /// Whom this was with, as a URI; where a call moved on, the last one.
    public var party: String?
    /// Each stretch of a call whose media began anew, because it was transferred or goes another way; empty: they never did.
    public var legs: [CallReport] = []
    /// What was asked for, by name: rate, period, real-time priority, echo control, codec, route.
    public var requested: [String: String] = [:]
    /// What was granted, under the same names.
    public var effective: [String: String] = [:]
    public var statistics = CallStatistics()
    /// How each `--assert` went.
    public var assertions: [AssertionOutcome] = []

    public init() {}

    /// The report without the outcome of assertions: what these are evaluated on.
    public var measurements: JSONValue {
        var members: [JSONMember] = []
        if let party { members.append(JSONMember("party", .string(party))) }
        if let durationSeconds { members.append(JSONMember("duration_s", .number(durationSeconds, decimals: 2))) }
        if let reason { members.append(JSONMember("reason", .string(reason))) }
        if let sipCode { members.append(JSONMember("sip_code", .integer(sipCode))) }
        let times = [
            ("post_dial_ms", postDialMilliseconds), ("setup_ms", setupMilliseconds),
            ("clipped_at_answer_ms", clippedAtAnswerMilliseconds),
        ]
        for (name, value) in times {
            if let value { members.append(JSONMember(name, .number(value, decimals: 1))) }
        }
        for (name, table) in [("requested", requested), ("effective", effective)] where !table.isEmpty {
            let entries = table.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
            members.append(JSONMember(name, .object(entries)))
        }
        if case .object(let figures) = statistics.json { members += figures }
        if !legs.isEmpty { members.append(JSONMember("legs", .array(legs.map(\.measurements)))) }
        return .object(members)
    }

    /// The whole report.
    public var json: JSONValue { measurements.adding(assertions) }

    /// Names that `--assert` may use on a call.
    public static let comparablePaths =
        ["duration_s", "sip_code", "post_dial_ms", "setup_ms", "clipped_at_answer_ms"].map { ComparablePath($0, .number) }
        + CallStatistics.comparablePaths
}

extension JSONValue {
    /// The object with `assertions` behind its other members.
    func adding(_ assertions: [AssertionOutcome]) -> JSONValue {
        guard case .object(let members) = self, !assertions.isEmpty else { return self }
        return .object(members + [JSONMember("assertions", .array(assertions.map(\.json)))])
    }
}
