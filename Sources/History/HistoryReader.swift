internal import GRDB

/// Reads a history. Any number of threads may, beside the one that writes.
public struct HistoryReader: Sendable {
    private let database: any DatabaseReader
    private let path: String

    init(_ database: any DatabaseReader, path: String) { (self.database, self.path) = (database, path) }

    /// Opens a file only to read it, whoever writes there meanwhile.
    public init(path: String) throws(HistoryError) {
        self.path = path
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { database in
                try HistorySchema.check(database, path: path)
                guard try database.tableExists("calls") else { throw HistoryError.foreign(path: path) }
            }
            database = queue
        } catch {
            throw HistoryError(error, path: path, isOpening: true)
        }
    }

    /// A page of what is asked for.
    public func page(_ query: HistoryQuery) throws(HistoryError) -> HistoryPage {
        let limit = max(1, min(query.limit, HistoryQuery.largestPage))
        let (condition, arguments) = query.sql
        do {
            return try database.read { database in
                let sql = HistorySchema.select(where: condition) + " ORDER BY number DESC LIMIT \(limit + 1)"
                var page = HistoryPage()
                let rows = try Row.fetchAll(database, sql: sql, arguments: arguments)
                page.calls = rows.prefix(limit).map { CallEntry($0) }
                if rows.count > limit { page.next = rows[limit - 1]["number"] }
                return page
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// One call; `nil`: there is none of that id.
    public func call(_ id: String) throws(HistoryError) -> CallEntry? {
        do {
            return try database.read { database in
                try Row.fetchOne(database, sql: HistorySchema.select(where: "id = ?"), arguments: [id]).map { CallEntry($0) }
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// The last texts by SIP, oldest first. A file of a service that was not started since texts are kept has none.
    /// - Parameter limit: so many at most.
    /// - Returns: them.
    /// - Throws: why they cannot be read.
    public func texts(_ limit: Int) throws(HistoryError) -> [TextEntry] {
        do {
            return try database.read { database in
                guard try database.tableExists("texts") else { return [] }
                return try Row.fetchAll(database, sql: TextEntry.newest, arguments: [limit]).map { TextEntry($0) }
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// Hands every call out that is asked for, newest first, a page after the other.
    public func each(_ query: HistoryQuery, _ body: (CallEntry) -> Void) throws(HistoryError) {
        var query = query
        query.limit = HistoryQuery.largestPage
        while true {
            let page = try page(query)
            for call in page.calls { body(call) }
            guard let next = page.next else { return }
            query.before = next
        }
    }
}
