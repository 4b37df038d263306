public import Reporting

/// What the history keeps of one call: a row of the database.
public struct CallEntry: Sendable, Equatable {
    public var id: String
    /// `outgoing` or `incoming`.
    public var direction: String
    /// By which way the other side came: `sip`, `browser`.
    public var kind: String
    public var account: String?
    /// The other side's address, and its name as it was told.
    public var peer: String?
    public var name: String?
    /// When it began, was answered and ended by this machine's clock: RFC 3339 in UTC, so that texts compare as times do.
    public var started: String
    public var answered: String?
    public var ended: String?
    /// Media time by a clock that nobody sets, s.
    public var durationSeconds: Double?
    /// Why it ended; `interrupted` where the service ended first; `nil` while it runs.
    public var endReason: String?
    public var sipCode: Int?
    public var explanation: String?
    public var codec: String?
    /// Address of the other side's media.
    public var remote: String?
    /// Figures of the report, for lists and searches.
    public var mouthToEarMilliseconds: Double?
    public var gaps: Int?
    /// Concealed of played samples, 0...1.
    public var concealedRatio: Double?
    /// The whole report, one line of JSON.
    public var report: String?

    public init(id: String, direction: String, kind: String, started: Timestamp) {
        (self.id, self.direction, self.kind, self.started) = (id, direction, kind, started.text)
    }

    /// The row's names, in order: those of JSON, CSV and of the database's columns.
    static let columns = [
        "id", "direction", "kind", "account", "peer", "name", "started", "answered", "ended", "duration_s", "end_reason",
        "sip_code", "explanation", "codec", "remote", "mouth_to_ear_ms", "gaps", "concealed_ratio",
    ]

    /// The row in the columns' order.
    var values: [JSONValue] {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        func number(_ value: Double?, _ decimals: Int) -> JSONValue { value.map { .number($0, decimals: decimals) } ?? .null }
        func integer(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }
        return [
            .string(id), .string(direction), .string(kind), text(account), text(peer), text(name), .string(started),
            text(answered), text(ended), number(durationSeconds, 2), text(endReason), integer(sipCode), text(explanation),
            text(codec), text(remote), number(mouthToEarMilliseconds, 1), integer(gaps), number(concealedRatio, 5),
        ]
    }

    /// The row without its report.
    public var json: JSONValue { .object(zip(Self.columns, values).map { JSONMember($0, $1) }) }

    /// The row with its report.
    public var wholeJSON: JSONValue {
        guard case .object(let members) = json else { return json }
        let report = report.flatMap { try? JSONValue(reading: $0) } ?? .null
        return .object(members + [JSONMember("report", report)])
    }
}
