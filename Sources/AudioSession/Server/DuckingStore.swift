import Glibc
import Synchronization

/// What this session has lowered, in a file that outlives a killed process.
///
/// The file is locked as long as its session lives, so that a file that can be locked has lost its owner.
///
/// Sendable: its owner calls from inside a lock, once it has put it there.
package final class DuckingStore: @unchecked Sendable {
    private static let prefix = "ducked-"
    private static let count = Atomic<Int>(0)
    private static let maximumBytes = 1 << 20

    private let folder: String
    private let name: String
    private var descriptor: Int32 = -1

    /// A store in `$XDG_RUNTIME_DIR/yodel`, else in the state folder; `nil` without a place that is ours.
    package convenience init?() {
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        guard
            let parent = variable("XDG_RUNTIME_DIR") ?? variable("XDG_STATE_HOME")
                ?? variable("HOME").map({ $0 + "/.local/state" })
        else { return nil }
        self.init(folder: parent + "/yodel")
    }

    package init?(folder: String) {
        self.folder = folder
        name = Self.prefix + "\(getpid())-\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o700)
        }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFDIR else { return nil }
    }

    deinit { finish() }

    /// Takes over what sessions that are gone left behind.
    package func takeOrphans() -> [DuckRecord] {
        var records: [DuckRecord] = []
        var orphans: [(path: String, file: Int32)] = []
        for (path, file) in others() {
            // One that is gone by now was taken back by its session, or taken over by somebody else.
            guard flock(file, LOCK_EX | LOCK_NB) == 0, Self.isThere(file) else {
                close(file)
                continue
            }
            records += Self.read(file)
            orphans.append((path, file))
        }
        // Written before the old files go: whenever we die, one of them is there.
        if !records.isEmpty { save(records) }
        // Locked until they are gone: whoever opened one in the meantime finds out when it gets the lock.
        for (path, file) in orphans {
            unlink(path)
            close(file)
        }
        return records
    }

    /// Streams that other living sessions have lowered.
    package func held(cookie: UInt32) -> Set<UInt32> {
        var streams: Set<UInt32> = []
        for (_, file) in others() {
            defer { close(file) }
            guard flock(file, LOCK_SH | LOCK_NB) != 0 else { continue }
            streams.formUnion(Self.read(file).filter { $0.cookie == cookie }.map(\.stream))
        }
        return streams
    }

    /// Replaces what is written.
    package func save(_ records: [DuckRecord]) {
        if descriptor < 0 {
            if records.isEmpty { return }
            descriptor = Self.create(folder + "/" + name)
            guard descriptor >= 0 else { return }
        }
        let bytes = Array(records.map { $0.line + "\n" }.joined().utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
        ftruncate(descriptor, bytes.count)
    }

    /// A locked file at `path`; negative when there can be none.
    ///
    /// Between its creation and its lock another session may take it for an orphan's and remove it: then it is made again. The
    /// lock is waited for, because others hold it for the moment in which they look.
    private static func create(_ path: String) -> Int32 {
        for _ in 0..<1000 {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else { return -1 }
            if flock(file, LOCK_EX) == 0, isThere(file) { return file }
            close(file)
        }
        return -1
    }

    private static func isThere(_ file: Int32) -> Bool {
        var status = stat()
        return fstat(file, &status) == 0 && status.st_nlink > 0
    }

    /// The session is over.
    /// - Parameter keepsRecords: whether something is still lowered, so that the next session is to put it back.
    package func finish(keepsRecords: Bool = false) {
        guard descriptor >= 0 else { return }
        if !keepsRecords { unlink(folder + "/" + name) }
        close(descriptor)
        descriptor = -1
    }

    /// The other sessions' files, opened.
    private func others() -> [(path: String, file: Int32)] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var found: [(String, Int32)] = []
        while let entry = readdir(directory) {
            let other = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard other.hasPrefix(Self.prefix), other != name else { continue }
            let file = open(folder + "/" + other, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            if file >= 0 { found.append((folder + "/" + other, file)) }
        }
        return found
    }

    private static func read(_ file: Int32) -> [DuckRecord] {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var text: [UInt8] = []
        while text.count < maximumBytes {
            let got = pread(file, &bytes, bytes.count, text.count)
            guard got > 0 else { break }
            text += bytes[..<got]
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { DuckRecord(line: String($0)) }
    }
}
