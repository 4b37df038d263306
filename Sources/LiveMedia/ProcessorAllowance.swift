import Glibc
import Realtime

/// What of the processors the process may use, where that is less than there are: by its control group and those above it. Who has used it
/// up stands still until the next period, however idle the machine is; so a thread that is rarely busy may be near its edge.
package struct ProcessorAllowance: Sendable {
    /// Between two looks at the clock, in milliseconds.
    private static let lookMilliseconds = 20.0
    /// Share of the time that it can count on: what is left of a period may be with a core where it has nothing to do.
    private static let usableShare = 0.9

    /// Cores' worth of time.
    package let cores: Double
    private var last: (time: HostTime, used: Double)?

    /// - Returns: nil: it may use all there are.
    init?() {
        let groups = KernelFile.read("/proc/self/cgroup") ?? ""
        self.init(groups: groups, cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)), read: KernelFile.read)
    }

    /// - Parameters:
    ///   - groups: as the kernel has them in `/proc/self/cgroup`.
    ///   - cores: those there are.
    ///   - read: a file's text; nil: there is none.
    /// - Returns: nil: it may use all there are.
    package init?(groups: String, cores: Int, read: (String) -> String?) {
        var least = Double(cores)
        for line in groups.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let controllers = parts[1].split(separator: ",")
            guard parts[1].isEmpty || controllers.contains("cpu") else { continue }
            // Inside a container the path is that of the host, and the group itself is at the root.
            var path = parts[2]
            while true {
                if let limit = Self.limit(parts[1], path, read) { least = min(least, limit) }
                guard let slash = path.lastIndex(of: "/"), !path.isEmpty else { break }
                path = path[..<slash]
            }
        }
        guard least < Double(cores) else { return nil }
        self.cores = least
    }

    private static func limit(_ controllers: Substring, _ path: Substring, _ read: (String) -> String?) -> Double? {
        func numbers(_ text: String?) -> [Double] {
            (text ?? "").split { $0 == " " || $0 == "\n" }.map { Double($0) ?? -1 }
        }
        let root = controllers.isEmpty ? "/sys/fs/cgroup" : "/sys/fs/cgroup/\(controllers)"
        let folder = root + (path == "/" ? "" : String(path))
        // Version 2 has both numbers in one file, version 1 has two.
        let pair =
            controllers.isEmpty
            ? numbers(read(folder + "/cpu.max"))
            : numbers(read(folder + "/cpu.cfs_quota_us")) + numbers(read(folder + "/cpu.cfs_period_us"))
        guard pair.count == 2, pair[0] > 0, pair[1] > 0 else { return nil }
        return pair[0] / pair[1]
    }

    /// What the process used since the last time, as a share of what it can count on, and how long that was; nil: it is too soon to tell.
    mutating func take(at now: HostTime) -> (share: Double, milliseconds: Double)? {
        let passed = last.map { now.milliseconds(since: $0.time) } ?? .infinity
        guard passed >= Self.lookMilliseconds else { return nil }
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        let used = Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
        defer { last = (now, used) }
        guard let last, passed > 0 else { return nil }
        return (max(0, used - last.used) / passed / (Self.usableShare * cores), passed)
    }
}
