import Glibc

/// What tells one state of a file from another: whoever keeps what a file held looks here whether it has changed.
package struct FileStamp: Equatable, Sendable {
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// - Parameter path: links are followed.
    /// - Returns: `nil` where there is no such file, or it cannot be looked at.
    package init?(_ path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        (inode, size) = (UInt64(found.st_ino), Int64(found.st_size))
        (seconds, nanoseconds) = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
    }
}
