import Glibc

/// A folder for files that nobody keeps: it and what is in it are gone with this object.
public final class PassingFolder {
    public let path: String

    /// - Throws: where none can be made.
    public init() throws(AudioFileError) {
        let parent = UnnamedFile.usualFolder
        var name = Array("\(parent)/yodel-XXXXXX".utf8CString)
        let isMade = name.withUnsafeMutableBufferPointer { name in name.baseAddress.map { mkdtemp($0) != nil } ?? false }
        guard isMade else { throw AudioFileError(path: parent, reason: String(cString: strerror(errno))) }
        path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit {
        for name in FolderNames.all(path) ?? [] where name != "." && name != ".." { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
