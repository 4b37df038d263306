internal import GRDB

/// The database's tables, and how they came to be. A step that was published is never changed: another one follows it.
enum HistorySchema {
    static let migrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("calls") { database in
            try database.execute(
                sql: """
                    CREATE TABLE calls (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE, direction TEXT NOT NULL, kind TEXT NOT NULL, account TEXT, peer TEXT, name TEXT,
                        started TEXT NOT NULL, answered TEXT, ended TEXT, duration_s REAL, end_reason TEXT, sip_code INTEGER,
                        explanation TEXT, codec TEXT, remote TEXT, mouth_to_ear_ms REAL, gaps INTEGER, concealed_ratio REAL,
                        report TEXT
                    ) STRICT;
                    CREATE INDEX calls_started ON calls (started);
                    """)
        }
        migrator.registerMigration("settings") { database in
            try database.execute(sql: "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT")
        }
        migrator.registerMigration("texts") { database in
            try database.execute(
                sql: """
                    CREATE TABLE texts (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE, time TEXT NOT NULL, state TEXT NOT NULL, account TEXT, sender TEXT, name TEXT,
                        recipient TEXT NOT NULL, text TEXT NOT NULL, sip_code INTEGER, reason TEXT
                    ) STRICT;
                    CREATE INDEX texts_time ON texts (time);
                    """)
        }
        return migrator
    }()

    /// Refuses what is not ours or newer, and looks for damage; nothing is written.
    static func check(_ database: Database, path: String) throws {
        let damage = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "ok"
        guard damage == "ok" else { throw HistoryError.corrupt(path: path, reason: damage) }
        if try migrator.hasBeenSuperseded(database) { throw HistoryError.newer(path: path) }
        let tables = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        guard tables.isEmpty || tables.contains("grdb_migrations") && tables.contains("calls") else {
            throw HistoryError.foreign(path: path)
        }
    }

    private static let columns = CallEntry.columns + ["report"]

    /// A call's row as it is now, whether there was one or not.
    static let upsert = statement(upserting: columns, into: "calls")

    /// - Parameters:
    ///   - columns: of the table, the first of which is `id`.
    ///   - table: of the row.
    /// - Returns: what writes a row as it is now, whether there was one or not.
    static func statement(upserting columns: [String], into table: String) -> String {
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let changes = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT (id) DO UPDATE SET \(changes)"
    }

    /// - Parameter condition: of the rows.
    static func select(where condition: String) -> String {
        "SELECT number, \(columns.joined(separator: ", ")) FROM calls WHERE \(condition)"
    }
}

extension CallEntry {
    var arguments: StatementArguments {
        StatementArguments(
            [
                id, direction, kind, account, peer, name, started, answered, ended, durationSeconds, endReason, sipCode,
                explanation, codec, remote, mouthToEarMilliseconds, gaps, concealedRatio, report,
            ] as [(any DatabaseValueConvertible)?])
    }

    init(_ row: Row) {
        id = row["id"]
        (direction, kind, account) = (row["direction"], row["kind"], row["account"])
        (peer, name) = (row["peer"], row["name"])
        (started, answered, ended) = (row["started"], row["answered"], row["ended"])
        (durationSeconds, endReason, sipCode) = (row["duration_s"], row["end_reason"], row["sip_code"])
        (explanation, codec, remote) = (row["explanation"], row["codec"], row["remote"])
        (mouthToEarMilliseconds, gaps) = (row["mouth_to_ear_ms"], row["gaps"])
        (concealedRatio, report) = (row["concealed_ratio"], row["report"])
    }
}
