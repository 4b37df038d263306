internal import GRDB

/// Which calls are asked for, newest first.
public struct HistoryQuery: Sendable, Equatable {
    /// Stands somewhere in the other side's address or name, the account, or the end reason; upper and lower case are one.
    public var text: String?
    public var account: String?
    public var direction: String?
    /// The first and the last day or time: `2026-11-24`, or less or more of it (`isTime`). Both count.
    public var since: String?
    public var until: String?
    /// Calls older than this place of a page before; `nil`: from the newest on.
    public var before: Int64?
    /// Calls at most.
    public var limit = 50

    /// Calls of a page at most.
    public static let largestPage = 500

    public init() {}

    /// Whether a text is a day, or a time of one as far as it is written, in UTC or with its offset (RFC 3339).
    public static func isTime(_ text: String) -> Bool { time(text) != nil }

    var sql: (condition: String, arguments: StatementArguments) {
        var conditions = ["1"]
        var arguments: [any DatabaseValueConvertible] = []
        func add(_ condition: String, _ values: any DatabaseValueConvertible...) {
            conditions.append(condition)
            arguments += values
        }
        if let text, !text.isEmpty {
            let pattern = "%" + text.flatMap { "\\%_".contains($0) ? ["\\", $0] : [$0] } + "%"
            let columns = ["peer", "name", "account", "end_reason"]
            conditions.append("(" + columns.map { "\($0) LIKE ? ESCAPE '\\'" }.joined(separator: " OR ") + ")")
            arguments += columns.map { _ in pattern }
        }
        if let account { add("account = ?", account) }
        if let direction { add("direction = ?", direction) }
        if let since { add("started >= ?", Self.time(since) ?? since) }
        // Whatever follows the time as far as it is written belongs to it.
        if let until { add("started < ?", (Self.time(until) ?? until) + "\u{10FFFF}") }
        if let before { add("number < ?", before) }
        return (conditions.joined(separator: " AND "), StatementArguments(arguments))
    }
}

/// Calls that were found.
public struct HistoryPage: Sendable, Equatable {
    /// Newest first.
    public var calls: [CallEntry] = []
    /// Where the next page begins (`HistoryQuery.before`); `nil`: there is none.
    public var next: Int64?
}
