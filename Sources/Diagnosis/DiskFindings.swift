import Glibc
import Reporting

/// Whether there is room where something is written.
package enum DiskFindings {
    /// Less is advice: an hour of both sides of a call takes 0.7 GB at 48 kHz.
    private static let enough: UInt64 = 1 << 30
    /// Less is trouble: nothing can be written soon.
    private static let little: UInt64 = 16 << 20

    /// - Parameter use: what is written there.
    package static func look(_ folder: String, for use: String) -> Finding {
        let subject = "disk for \(use)"
        var space = statvfs()
        guard statvfs(folder, &space) == 0 else {
            return Finding(
                subject, .configuration, .trouble, "\(folder): \(String(cString: strerror(errno)))",
                "make the folder, or name another")
        }
        var facts = stat()
        guard stat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
            return Finding(
                subject, .configuration, .trouble, "\(folder) is no folder",
                "move the file away and make the folder, or name another")
        }
        guard access(folder, W_OK) == 0 else {
            return Finding(
                subject, .configuration, .trouble, "\(folder) cannot be written",
                "give it to the user of the process (chown), or mount a volume there")
        }
        return judge(folder, free: UInt64(space.f_bavail) * UInt64(space.f_frsize), files: UInt64(space.f_favail), subject)
    }

    package static func judge(_ folder: String, free: UInt64, files: UInt64, _ subject: String) -> Finding {
        let had = "\(folder) has \(Text.fixed(Double(free) / 1e9, 2)) GB free"
        let remedy = "remove old recordings, keep them for fewer days, or give it a larger volume"
        if free < little { return Finding(subject, .configuration, .trouble, had, remedy) }
        if files < 100 { return Finding(subject, .configuration, .trouble, "\(folder) takes \(files) more files", remedy) }
        return free < enough ? Finding(subject, .configuration, .advice, had, remedy) : .fine(subject, .configuration, had)
    }
}
