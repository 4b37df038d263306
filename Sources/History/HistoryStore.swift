internal import GRDB
internal import Glibc
internal import Reporting

/// How long calls and texts are kept, and how many.
public struct HistoryRetention: Sendable, Equatable {
    /// Days since a call began or a text was written; 0: no limit.
    public var days: Int
    /// Bytes of the database at most, less what it has free; 0: no limit.
    public var bytes: Int
    /// Texts at most: whoever may send some cannot push the calls out by them.
    public var texts: Int

    /// - Parameters:
    ///   - days: since a call began or a text was written; 0: no limit.
    ///   - bytes: of the database at most; 0: no limit.
    ///   - texts: at most.
    public init(days: Int, bytes: Int, texts: Int = 10_000) { (self.days, self.bytes, self.texts) = (days, bytes, texts) }
}

/// The database as the thread that writes sees it.
final class HistoryStore: Sendable {
    private let pool: DatabasePool
    private let path: String
    private let retention: HistoryRetention
    /// Held as long as the database is open.
    private let lock: HistoryLock
    /// The file that was opened.
    private let file: [UInt64]?

    /// Opens the database, or makes it.
    /// - Parameter isFirst: this service has not had it open yet: calls that were running when the last one ended are marked.
    init(path: String, retention: HistoryRetention, isFirst: Bool) throws(HistoryError) {
        (self.path, self.retention) = (path, retention)
        lock = try HistoryLock(path)
        do {
            // What is wrong with it is found before a byte of it is changed.
            if access(path, F_OK) == 0 { _ = try HistoryReader.check(path) }
            // SQLite lets others read what it makes; its log gets the rights of the file.
            let made = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            if made >= 0 { close(made) }
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.maximumReaderCount = 2
            configuration.prepareDatabase { database in
                guard !database.configuration.readonly else { return }
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_size_limit = 4194304")
            }
            pool = try DatabasePool(path: path, configuration: configuration)
            file = Self.file(path)
            try HistorySchema.migrator.migrate(pool)
            guard isFirst else { return }
            try pool.write { database in
                try database.execute(
                    sql: """
                        UPDATE calls SET end_reason = 'interrupted', explanation = 'the service ended during the call'
                        WHERE end_reason IS NULL;
                        UPDATE texts SET state = 'failed', reason = 'the service ended before it was answered'
                        WHERE state = 'sending'
                        """)
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: true)
        }
    }

    /// Which file stands at a path; `nil`: none does.
    private static func file(_ path: String) -> [UInt64]? {
        var facts = stat()
        return stat(path, &facts) == 0 ? [UInt64(facts.st_dev), UInt64(facts.st_ino)] : nil
    }

    /// Whether the file that is open still stands at its path: nobody has moved it away, or deleted it.
    var isInPlace: Bool { file != nil && Self.file(path) == file }

    var reader: HistoryReader { HistoryReader(pool, path: path) }

    /// Writes all of them or none.
    func write(_ rows: [HistoryRow]) throws(HistoryError) {
        do {
            try pool.write { database in for row in rows { try row.write(to: database) } }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// Settings that were changed while the service ran, by their names.
    func settings() throws(HistoryError) -> [String: String] {
        do {
            return try pool.read { database in
                let rows = try Row.fetchAll(database, sql: "SELECT name, value FROM settings")
                return Dictionary(uniqueKeysWithValues: rows.map { ($0["name"], $0["value"]) })
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// Keeps settings; `nil` forgets one.
    func write(settings: [String: String?]) throws(HistoryError) {
        do {
            try pool.write { database in
                for (name, value) in settings {
                    try database.execute(sql: "DELETE FROM settings WHERE name = ?", arguments: [name])
                    guard let value else { continue }
                    try database.execute(sql: "INSERT INTO settings (name, value) VALUES (?, ?)", arguments: [name, value])
                }
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// Rows of one table that one step of `forget` takes away at most.
    private static let step = 200

    /// Takes away what is older than is kept, and the oldest of what is too much. Running calls stay. One step is short, so that what
    /// waits to be written does not wait for long.
    /// - Returns: whether there is more to take away.
    func forget(now: Timestamp) throws(HistoryError) -> Bool {
        do {
            return try pool.writeWithoutTransaction { database in
                var gone = 0
                try database.inTransaction {
                    if retention.days > 0 {
                        let oldest = Timestamp(
                            millisecondsSince1970: now.millisecondsSince1970 - Int64(retention.days) * 86_400_000)
                        gone += try Self.deleteCalls("started < ?", [oldest.text], in: database)
                        gone += try Self.delete("texts", "time < ?", [oldest.text], in: database)
                    }
                    gone += try Self.delete(
                        "texts", "number <= (SELECT max(number) FROM texts) - ?", [retention.texts], in: database)
                    if gone == 0, retention.bytes > 0, try Self.bytes(database) > retention.bytes {
                        gone += try Self.deleteOldest(in: database)
                    }
                    return .commit
                }
                if gone > 0 {
                    try database.execute(sql: "PRAGMA incremental_vacuum")
                    // The file is shorter once its log is taken in.
                    _ = try? database.checkpoint(.passive)
                }
                return gone > 0
            }
        } catch {
            throw HistoryError(error, path: path, isOpening: false)
        }
    }

    /// Texts go before a call that came later.
    private static func deleteOldest(in database: Database) throws -> Int {
        let call = try String.fetchOne(
            database, sql: "SELECT started FROM calls WHERE end_reason IS NOT NULL ORDER BY number LIMIT 1")
        guard let call else { return try delete("texts", "1", [], in: database) }
        let texts = try delete("texts", "time < ?", [call], in: database)
        return texts > 0 ? texts : try deleteCalls("1", [], in: database)
    }

    private static func deleteCalls(
        _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> Int { try delete("calls", "end_reason IS NOT NULL AND \(condition)", arguments, in: database) }

    /// - Returns: how many.
    private static func delete(
        _ table: String, _ condition: String, _ arguments: StatementArguments, in database: Database
    ) throws -> Int {
        try database.execute(
            sql: """
                DELETE FROM \(table) WHERE number IN (
                    SELECT number FROM \(table) WHERE \(condition) ORDER BY number LIMIT \(step))
                """, arguments: arguments)
        return database.changesCount
    }

    /// Bytes that are in use.
    private static func bytes(_ database: Database) throws -> Int {
        func value(_ name: String) throws -> Int { try Int.fetchOne(database, sql: "PRAGMA \(name)") ?? 0 }
        return try (value("page_count") - value("freelist_count")) * value("page_size")
    }
}

/// Keeps other services from a database, as long as it lives; the system lets go of it when the process ends, however it does.
private final class HistoryLock: Sendable {
    private let descriptor: Int32

    /// - Parameter path: of the database.
    /// - Throws: another service has it, or the file beside it cannot be made.
    init(_ path: String) throws(HistoryError) {
        let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(path: path)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

extension HistoryReader {
    /// Opens a file only to look at what it is.
    static func check(_ path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // Not read-only: what a killed service has left in its log is taken in first.
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { try HistorySchema.check($0, path: path) }
        try queue.close()
    }
}
