import Glibc

/// Whether the process may have as much memory and as many descriptors as its calls need.
package enum LimitFindings {
    /// The service without a call, and what each call adds, with room to spare.
    private static let idleBytes: UInt64 = 64 << 20
    private static let callBytes: UInt64 = 6 << 20
    private static let idleDescriptors: UInt64 = 128
    private static let callDescriptors: UInt64 = 24

    package static func memory(calls: Int, _ machine: Machine) -> Finding {
        let subject = "memory"
        let needed = idleBytes + UInt64(calls) * callBytes
        let limit = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
            .lazy.compactMap { machine.line($0).flatMap { UInt64($0) } }.first.flatMap { $0 < 1 << 60 ? $0 : nil }
        let free = machine.lines("/proc/meminfo")?.first { $0.hasPrefix("MemAvailable:") }
            .flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { UInt64($0) }.map { $0 << 10 }
        guard let most = [limit, free].compactMap(\.self).min() else {
            return Finding(subject, .machine, .advice, "the kernel does not tell", "give the process /proc to look at")
        }
        let had = "\(most >> 20) MiB, \(calls) calls take \(needed >> 20) MiB at most"
        if most >= needed { return .fine(subject, .machine, had) }
        let isLimit = most == limit
        return Finding(
            subject, .machine, .advice, isLimit ? "limited to \(had)" : "free are \(had)",
            isLimit
                ? "allow more (--memory, MemoryMax=, resources.limits.memory), or fewer softphone.calls"
                : "allow fewer softphone.calls")
    }

    package static func descriptors(calls: Int, limit: UInt64) -> Finding {
        let subject = "open files"
        let needed = idleDescriptors + UInt64(calls) * callDescriptors
        let had = "\(limit) allowed, \(calls) calls take \(needed) at most"
        if limit >= needed { return .fine(subject, .machine, had) }
        return Finding(
            subject, .machine, .trouble, had, "allow more (--ulimit nofile=\(needed), LimitNOFILE=), or fewer softphone.calls")
    }

    /// What the process may raise itself to.
    package static var descriptorLimit: UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return UInt64(limit.rlim_max)
    }
}
