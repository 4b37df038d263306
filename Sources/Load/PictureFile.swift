import Glibc
import Softphone

/// A file that is written once there is something to write, and of which it is known before whether that can be.
final class PictureFile {
    private let path: String
    private let descriptor: Int32
    /// Whether it is ours alone: nothing is left of one that was never written.
    private var isNew: Bool

    /// Opens it; what is in it stays for now.
    init(_ path: String) throws(SoftphoneError) {
        let made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        // No reader of a pipe is waited for.
        descriptor = made >= 0 || errno != EEXIST ? made : open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(path) }
        (self.path, isNew) = (path, made >= 0)
    }

    deinit {
        close(descriptor)
        if isNew { unlink(path) }
    }

    /// Replaces what is in it.
    func write(_ text: String) throws(SoftphoneError) {
        // A pipe cannot be cut, and need not be.
        _ = ftruncate(descriptor, 0)
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count == 0 { errno = ENOSPC }
            guard count > 0 else { throw Self.failure(path) }
            written += count
        }
        isNew = false
    }

    private static func failure(_ path: String) -> SoftphoneError {
        .recording(path: path, reason: errno == ENXIO ? "nobody reads this pipe yet" : String(cString: strerror(errno)))
    }
}
