import AudioFiles
import Glibc
import Reporting

/// The folder of recordings. A file's name is the call's id and a number: nothing that anybody chooses, and nothing else is touched. What
/// a recorder goes on in when the media begin anew has another number behind it.
package struct RecordingShelf: Sendable {
    /// A file that is there.
    package struct Item: Sendable, Equatable {
        package let name: String
        package let call: String
        /// The file that it goes on from; its own name where it is the first.
        let first: String
        /// Whether a caller left it as a message.
        package var isMessage: Bool { name.contains("-m") }
        package let bytes: Int
        /// When it was last written.
        package let time: Timestamp

        package var json: JSONValue {
            .object([
                JSONMember("name", .string(name)), JSONMember("call_id", .string(call)),
                JSONMember("kind", .string(isMessage ? "message" : "recording")), JSONMember("bytes", .integer(bytes)),
                JSONMember("time", .string(time.text)),
            ])
        }
    }

    private let folder: String
    /// Bytes of its disk that messages leave free: anybody may call, and fill it.
    private let reserve: UInt64

    /// - Parameters:
    ///   - folder: must be there.
    ///   - reserve: bytes of its disk that messages leave free.
    package init(folder: String, reserve: UInt64 = 500_000_000) { (self.folder, self.reserve) = (folder, reserve) }

    /// Why no message is taken; `nil`: there is room for some.
    package var shortage: String? {
        var space = statvfs()
        // What is wrong with the folder is told by whoever writes there.
        guard statvfs(folder, &space) == 0, UInt64(space.f_bavail) * UInt64(space.f_frsize) < reserve else { return nil }
        return "less than \(reserve / 1_000_000) MB are free in \(folder); remove old recordings, or give it a larger volume"
    }

    /// The call of a recording's name; `nil`: no recording is called so.
    package static func call(of name: String) -> String? { parts(of: name)?.call }

    /// The call of a recording's name, and the file that it goes on from.
    private static func parts(of name: String) -> (call: String, first: String)? {
        name.wholeMatch(of: #/(([0-9a-z]+-[0-9]+)-m?[0-9]+)(?:-[0-9]+)?\.wav/#).map { (String($0.2), "\($0.1).wav") }
    }

    /// A path that is free for the next recording of a call, and the file's name.
    /// - Parameter isMessage: whether a caller leaves it.
    /// - Throws: the folder cannot be written to, or has no room for a message.
    package func next(of call: String, isMessage: Bool = false) throws(Problem) -> (path: String, name: String) {
        if isMessage, let shortage {
            throw Problem(503, "no message can be taken", shortage, at: "softphone.recordings", retryAfterSeconds: 5)
        }
        for number in 1...9999 {
            let name = "\(call)-\(isMessage ? "m" : "")\(number).wav"
            guard Self.call(of: name) == call else { break }
            let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 {
                close(descriptor)
                return ("\(folder)/\(name)", name)
            }
            guard errno == EEXIST else {
                throw Problem(
                    503, "no recording can be made",
                    "\(folder) cannot be written to (\(String(cString: strerror(errno)))); make it, and let the program's user write there",
                    at: "softphone.recordings", retryAfterSeconds: 5)
            }
        }
        throw .conflict("the call has too many recordings; delete some")
    }

    /// Every recording there is, oldest first.
    package func all() -> [Item] {
        // An empty one is only just being begun, or the process died there.
        let items = (FolderNames.all(folder) ?? []).compactMap { item($0) }.filter { $0.bytes > 0 }
        return items.sorted { ($0.time.millisecondsSince1970, $0.name) < ($1.time.millisecondsSince1970, $1.name) }
    }

    /// One recording; `nil`: there is none of that name. A link is none.
    package func item(_ name: String) -> Item? {
        guard let (call, first) = Self.parts(of: name) else { return nil }
        var status = stat()
        guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        let time = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
        return Item(
            name: name, call: call, first: first, bytes: Int(status.st_size), time: Timestamp(millisecondsSince1970: time))
    }

    /// Where a recording is.
    package func path(_ item: Item) -> String { "\(folder)/\(item.name)" }

    /// Takes a recording away.
    /// - Returns: whether it was there.
    package func delete(_ item: Item) -> Bool { unlink(path(item)) == 0 }
}
