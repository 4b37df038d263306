import Glibc

/// A file that is gone with this object, for libraries that read and write nothing but files. It has no name that anybody else finds.
public final class UnnamedFile {
    /// Where this process opens it.
    public let path: String
    private let descriptor: Int32

    /// Where the system wants such files.
    static var usualFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir }

    /// An empty one.
    /// - Parameter folder: where it has its room; `nil`: where such files belong.
    /// - Throws: where none can be made.
    public init(in folder: String? = nil) throws(AudioFileError) {
        let folder = folder ?? Self.usualFolder
        var name = Array("\(folder)/yodel-XXXXXX".utf8CString)
        let made = name.withUnsafeMutableBufferPointer { name in
            name.baseAddress.map { mkstemp($0) } ?? -1
        }
        descriptor = made
        path = "/proc/self/fd/\(made)"
        guard made >= 0 else { throw AudioFileError(path: folder, reason: String(cString: strerror(errno))) }
        _ = fcntl(made, F_SETFD, FD_CLOEXEC)
        _ = name.withUnsafeBufferPointer { $0.baseAddress.map { unlink($0) } }
    }

    /// One that holds `bytes`.
    /// - Parameter bytes: what it holds.
    /// - Throws: where none can be made, or there is no room.
    public convenience init(_ bytes: [UInt8]) throws(AudioFileError) {
        try self.init()
        try WholeFile.write(bytes, path: path)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
