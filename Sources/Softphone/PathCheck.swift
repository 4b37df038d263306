import Glibc

/// Whether what somebody wants written can be written, before anything starts.
package enum PathCheck {
    /// Throws unless a file could be made at `path`.
    package static func writable(_ path: String, option: String) throws(SoftphoneError) {
        if isFolder(path) == true {
            throw SoftphoneError.request("\(path) is a folder, in \(option); name a file in it")
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        let folder = parent.isEmpty ? "/" : parent
        guard isFolder(folder) == true, access(folder, W_OK) == 0 else {
            throw SoftphoneError.request("\(path) cannot be written, in \(option); make the folder or name another one")
        }
    }

    /// Whether another file beside it may follow: it is an ordinary one, or will be. A device or a pipe goes on as it is.
    static func mayBeNumbered(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Makes a file that follows another one: it is for the same eyes.
    static func make(_ path: String, as first: String) {
        var status = stat()
        guard stat(first, &status) == 0 else { return }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, status.st_mode & 0o777)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Throws unless `path` is a folder or could be made one.
    package static func folder(_ path: String, option: String) throws(SoftphoneError) {
        if isFolder(path) == false { throw SoftphoneError.request("\(path) is a file, in \(option); name a folder") }
        if isFolder(path) == nil { try writable(path, option: option) }
    }

    /// `nil` when there is nothing of that name.
    static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }
}
