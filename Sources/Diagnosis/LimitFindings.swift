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
        let limit = (machine.controlGroups.map { $0 + "/memory.max" } + ["/sys/fs/cgroup/memory/memory.limit_in_bytes"])
            .compactMap { machine.line($0).flatMap { UInt64($0) } }.filter { $0 < 1 << 60 }.min()
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
                ? "\(moreMemory(needed >> 20, machine.runtime)), or allow fewer softphone.calls" : "allow fewer softphone.calls"
        )
    }

    private static func moreMemory(_ megabytes: UInt64, _ runtime: ContainerRuntime) -> String {
        switch runtime {
        case .docker, .podman: "start it with --memory \(megabytes)m"
        case .kubernetes: "set resources.limits.memory to \(megabytes)Mi"
        case .systemd: "set MemoryMax=\(megabytes)M in the unit"
        case .none: "raise memory.max of its control group to \(megabytes)M"
        }
    }

    /// - Parameter limit: what the process may raise itself to.
    package static func descriptors(calls: Int, limit: UInt64, _ machine: Machine) -> Finding {
        let subject = "open files"
        let needed = idleDescriptors + UInt64(calls) * callDescriptors
        let had = "\(limit) allowed, \(calls) calls take \(needed) at most"
        if limit >= needed { return .fine(subject, .machine, had) }
        let more =
            switch machine.runtime {
            case .docker, .podman: "start it with --ulimit nofile=\(needed):\(needed)"
            case .kubernetes: "set LimitNOFILE=\(needed) in the unit of the nodes' container runtime"
            case .systemd: "set LimitNOFILE=\(needed) in the unit"
            case .none: "`ulimit -n \(needed)` before its start, or `- hard nofile \(needed)` in /etc/security/limits.d"
            }
        return Finding(subject, .machine, .trouble, had, "\(more), or allow fewer softphone.calls")
    }
}
