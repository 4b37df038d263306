internal import GRDB
public import Reporting

/// What the history keeps of one text by SIP: a row of the database.
public struct TextEntry: Sendable, Equatable {
    public let id: String
    /// When it came or was sent by this machine's clock: RFC 3339 in UTC.
    public let time: String
    /// `received`, `sending`, `delivered` or `failed`.
    public var state: String
    public var account: String?
    /// Who sent it, and the name that came with it; `nil`: we did.
    public var sender: String?
    public var name: String?
    public let recipient: String
    public let text: String
    /// What became of one that was sent.
    public var sipCode: Int?
    public var reason: String?

    /// - Parameters:
    ///   - id: of no other text or call.
    ///   - time: when it came or was sent.
    ///   - state: as it is now.
    ///   - recipient: who gets it.
    ///   - text: what it says.
    public init(id: String, time: Timestamp, state: String, to recipient: String, text: String) {
        (self.id, self.time, self.state, self.recipient, self.text) = (id, time.text, state, recipient, text)
    }

    /// As requests and events have it.
    public var json: JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return .object([
            JSONMember("id", .string(id)), JSONMember("time", .string(time)), JSONMember("state", .string(state)),
            JSONMember("account", text(account)), JSONMember("from", text(sender)), JSONMember("name", text(name)),
            JSONMember("to", .string(recipient)), JSONMember("text", .string(self.text)),
            JSONMember("sip_code", sipCode.map { .integer($0) } ?? .null), JSONMember("reason", text(reason)),
        ])
    }
}

extension TextEntry {
    private static let columns = [
        "id", "time", "state", "account", "sender", "name", "recipient", "text", "sip_code", "reason",
    ]

    /// A row as it is now, whether there was one or not.
    static let upsert = HistorySchema.statement(upserting: columns, into: "texts")

    /// The newest so many, oldest first.
    static let newest =
        "SELECT * FROM (SELECT number, \(columns.joined(separator: ", ")) FROM texts ORDER BY number DESC LIMIT ?) ORDER BY number"

    var arguments: StatementArguments {
        StatementArguments(
            [id, time, state, account, sender, name, recipient, text, sipCode, reason] as [(any DatabaseValueConvertible)?])
    }

    init(_ row: Row) {
        (id, time, state) = (row["id"], row["time"], row["state"])
        (account, sender, name) = (row["account"], row["sender"], row["name"])
        (recipient, text) = (row["recipient"], row["text"])
        (sipCode, reason) = (row["sip_code"], row["reason"])
    }
}
