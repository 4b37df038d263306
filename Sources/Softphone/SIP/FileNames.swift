import Glibc
import Realtime

/// Names of the files that a telephone's calls write: the first call has the name that was given, what begins later one with a number.
///
/// A recording is of one rate, and its file is written from the front: what begins anew goes into another file, never over the first.
package final class FileNames: Sendable {
    private let uses = Lock<[String: Int]>([:])

    /// `call.wav`, then `call-2.wav`, `call-3.wav`. A device or a pipe goes on as it is.
    func next(_ path: String) -> String {
        if let mode = Self.mode(of: path), mode & S_IFMT != S_IFREG { return path }
        let number = uses.withLock { uses in
            uses[path, default: 0] += 1
            return uses[path] ?? 1
        }
        return number == 1 ? path : Self.numbered(path, number)
    }

    /// Makes a file that follows the first one: it is for the same eyes.
    static func make(_ path: String, like first: String) {
        guard let mode = mode(of: first) else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode & 0o777)
        if descriptor >= 0 { close(descriptor) }
    }

    /// `nil`: there is nothing of that name.
    private static func mode(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode : nil
    }

    /// - Parameters:
    ///   - path: of the first file.
    ///   - number: of this one.
    /// - Returns: its path.
    package static func numbered(_ path: String, _ number: Int) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(path)-\(number)" }
        let end = path.index(path.endIndex, offsetBy: -name[dot...].count)
        return "\(path[..<end])-\(number)\(name[dot...])"
    }
}
