import Glibc

/// Whether what somebody wants written can be written, before anything starts.
package enum PathCheck {
    /// Throws unless a file could be made at `path`.
    package static func writable(_ path: String, option: String) throws(SoftphoneError) {
        if isFolder(path) == true {
            throw SoftphoneError.request("\(path) is a folder, in \(option); name a file in it")
        }
        // What is there is written as it is: its folder need not be ours.
        let place = access(path, F_OK) == 0 ? path : folder(of: path)
        guard place == path || isFolder(place) == true, access(place, W_OK) == 0 else {
            throw SoftphoneError.request("\(path) cannot be written, in \(option); make the folder or name another one")
        }
    }

    /// Throws unless `path` is a folder or could be made one.
    package static func folder(_ path: String, option: String) throws(SoftphoneError) {
        if isFolder(path) == false { throw SoftphoneError.request("\(path) is a file, in \(option); name a folder") }
        if isFolder(path) == nil { try writable(path, option: option) }
    }

    static func folder(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        return parent.isEmpty ? "/" : parent
    }

    /// `nil` when there is nothing of that name.
    static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }
}
