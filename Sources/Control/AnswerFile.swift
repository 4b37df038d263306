import Glibc
import Realtime

/// The file of `--out`: whole under its name, or not there; and never in place of one that was there, unless that was wished.
package final class AnswerFile: Sendable {
    private let path: String
    /// Where it goes, links followed.
    private let target: String
    /// What it is called until it is whole; `nil`: it is a device or a pipe, and is written to as it is.
    private let part: String?
    private let descriptor: Int32
    private let overwrites: Bool
    private let isNamed = Lock(false)

    /// Makes sure that it can be written.
    /// - Parameters:
    ///   - path: of the file.
    ///   - overwrites: whether it may take the place of one that is there.
    /// - Throws: it is there, or cannot be written.
    package init(_ path: String, overwrites: Bool) throws(ControlError) {
        (self.path, self.overwrites) = (path, overwrites)
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            (target, part) = (path, nil)
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            guard !isThere || overwrites else { throw Self.taken(path) }
            target = isThere ? Self.real(path) : path
            let name = target + "." + String(UInt32.random(in: 0 ... .max), radix: 36) + ".part"
            part = name
            descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if descriptor >= 0, let part, !isNamed.withLock({ $0 }) { unlink(part) }
    }

    /// Writes on.
    /// - Parameter bytes: all of them, or it throws.
    /// - Throws: the disk is full, or the like.
    package func write(_ bytes: [UInt8]) throws(ControlError) {
        guard !Self.write(bytes, to: descriptor) else { return }
        throw .usage(
            "\(path) cannot be written (\(String(cString: strerror(errno)))), in --out; make room, or name another file")
    }

    /// It is whole, or is to be seen while it grows: it gets its name.
    /// - Throws: somebody else has made a file of the name meanwhile, or the folder is gone.
    package func finish() throws(ControlError) {
        guard let part, !isNamed.withLock({ $0 }) else { return }
        let isDone = overwrites ? rename(part, target) == 0 : Self.move(part, target)
        guard isDone else { throw errno == EEXIST ? Self.taken(path) : Self.failure(path) }
        isNamed.withLock { $0 = true }
    }

    /// Gives a file a name that nobody has.
    private static func move(_ part: String, _ target: String) -> Bool {
        if link(part, target) == 0 { return unlink(part) == 0 }
        // Not every file system knows links.
        guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { return false }
        guard access(target, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(part, target) == 0
    }

    private static func real(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    /// - Returns: whether all of it was taken; `errno` says why not.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    private static func taken(_ path: String) -> ControlError {
        .usage("\(path) is there already, in --out; name another file, or say --overwrite")
    }

    private static func failure(_ path: String) -> ControlError {
        .usage("\(path) cannot be written (\(String(cString: strerror(errno)))), in --out; name another file")
    }
}
