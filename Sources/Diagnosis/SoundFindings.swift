import Glibc

/// Whether what calls are to hear is there.
enum SoundFindings {
    /// - Parameters:
    ///   - path: of a file, or of the folder that such files are in.
    ///   - key: where it is configured.
    static func look(_ path: String, isFolder: Bool, key: String) -> Finding {
        let subject = "\(isFolder ? "folder" : "file") \(path)"
        func trouble(_ detail: String) -> Finding {
            Finding(
                subject, .configuration, .trouble, detail,
                "put it there so that the user of the process can read it, or name another in \(key)")
        }
        var facts = stat()
        guard stat(path, &facts) == 0 else { return trouble(String(cString: strerror(errno))) }
        guard (facts.st_mode & S_IFMT == S_IFDIR) == isFolder else {
            return trouble(isFolder ? "it is no folder" : "it is a folder")
        }
        guard access(path, isFolder ? X_OK : R_OK) == 0 else { return trouble(String(cString: strerror(errno))) }
        return .fine(subject, .configuration, "it can be read")
    }
}
