internal import GRDB

/// Why there is no history, and what to do.
public enum HistoryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It is being opened, or made.
    case opening(path: String)
    /// Another program writes to it.
    case inUse(path: String)
    /// A newer yodel has made it.
    case newer(path: String)
    /// It is damaged, or no database.
    case corrupt(path: String, reason: String)
    /// A database, but not a history.
    case foreign(path: String)
    case cannotOpen(path: String, reason: String)
    /// No file is named, or what is asked for makes no sense.
    case request(String)
    /// It cannot be read or written: its disk is full, or fails.
    case cannotUse(path: String, reason: String)

    public var description: String {
        switch self {
        case .opening(let path): "\(path) is still being opened; ask again in a moment"
        case .inUse(let path): "\(path) is in use by another yodel; give each service a file of its own, or end the other one"
        case .newer(let path):
            "\(path) was made by a newer yodel; install that one, or name another file: this one is left as it is"
        case .corrupt(let path, let reason):
            "\(path) is damaged (\(reason)); move it away, and a new one is made: this one is left as it is"
        case .foreign(let path): "\(path) is a database of another program; name another file: this one is left as it is"
        case .cannotOpen(let path, let reason):
            "\(path) cannot be opened (\(reason)); make its folder, and let the program's user write there"
        case .request(let text): text
        case .cannotUse(let path, let reason): "\(path) cannot be used (\(reason)); see to its disk"
        }
    }

    var isDamage: Bool { if case .corrupt = self { true } else { false } }

    /// What a database's error means for whoever opens or uses it.
    init(_ error: any Error, path: String, isOpening: Bool) {
        if let error = error as? HistoryError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self = isOpening ? .cannotOpen(path: path, reason: "\(error)") : .cannotUse(path: path, reason: "\(error)")
            return
        }
        let reason = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: self = .corrupt(path: path, reason: reason)
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse(path: path)
        case .SQLITE_FULL, .SQLITE_IOERR: self = .cannotUse(path: path, reason: reason)
        default: self = isOpening ? .cannotOpen(path: path, reason: reason) : .cannotUse(path: path, reason: reason)
        }
    }
}
