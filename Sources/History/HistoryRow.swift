internal import GRDB

/// What waits to be written: a row of one of the tables as it is now.
enum HistoryRow: Sendable, Equatable {
    case call(CallEntry)
    case text(TextEntry)

    /// No call and no text have the same.
    var id: String {
        switch self {
        case .call(let entry): entry.id
        case .text(let entry): entry.id
        }
    }

    /// Writes it, whether it was there or not.
    func write(to database: Database) throws {
        switch self {
        case .call(let entry): try database.execute(sql: HistorySchema.upsert, arguments: entry.arguments)
        case .text(let entry): try database.execute(sql: TextEntry.upsert, arguments: entry.arguments)
        }
    }
}
