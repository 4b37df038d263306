import Glibc

/// A named pipe in a file's place, opened by somebody who may lose interest before the other end writes.
///
/// A plain `open` waits for the other end, whatever happens meanwhile.
enum NamedPipe {
    /// How often it is asked whether the pipe is still wanted.
    private static let lookMilliseconds: Int32 = 100

    /// Waits until there is something to read, or the other end has come and gone.
    /// - Parameters:
    ///   - path: of a file of any kind.
    ///   - isWanted: whether to wait any longer.
    /// - Returns: a descriptor to read from; `nil`: `path` is no pipe.
    /// - Throws: when it cannot be opened, or is no longer wanted.
    static func open(_ path: String, while isWanted: () -> Bool) throws(AudioFileError) -> Int32? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
        let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw AudioFileError(path: path, reason: String(cString: strerror(errno))) }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, lookMilliseconds) <= 0 {
            guard isWanted() else {
                close(descriptor)
                throw AudioFileError(path: path, reason: "nobody has written to this pipe yet")
            }
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }
}
