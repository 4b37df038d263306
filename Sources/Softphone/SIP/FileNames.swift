import Realtime

/// Names of the files that a telephone's calls write: the first call has the name that was given, what begins later one with a number.
///
/// A recording is of one rate, and its file is written from the front: what begins anew goes into another file, never over the first.
package final class FileNames: Sendable {
    private let uses = Lock<[String: Int]>([:])

    /// `call.wav`, then `call-2.wav`, `call-3.wav`.
    func next(_ path: String) -> String {
        let number = uses.withLock { uses in
            uses[path, default: 0] += 1
            return uses[path] ?? 1
        }
        return number == 1 ? path : Self.numbered(path, number)
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
