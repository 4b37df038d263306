import Glibc

/// Whether the process nears a limit on its memory: that of its address space (`ulimit -v`) or of its control group. A call that is
/// refused costs nobody anything; memory that is not there costs all calls.
public struct MemoryHeadroom: Sendable {
    /// Share of a limit up to which somebody new is let in.
    private static let greatestShare = 0.9
    /// What is kept free in any case, in bytes: a call's own share, with room for more than one at once.
    private static let reserve = 16 << 20

    private let addressLimit: Int?
    private let groupLimit: Int?
    private let groupPath: String

    /// Of this process, and of the control group that it is in now.
    public init() {
        var limit = rlimit()
        let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
        addressLimit = isKnown && limit.rlim_cur < UInt(Int.max) ? Int(limit.rlim_cur) : nil
        // Version 2 names one group, as `0::/path`.
        let groups = KernelFile.read("/proc/self/cgroup") ?? ""
        let own = groups.split(separator: "\n").first { $0.hasPrefix("0::") }?.dropFirst(3) ?? ""
        groupPath = "/sys/fs/cgroup" + own
        groupLimit = KernelFile.read(groupPath + "/memory.max").flatMap { Self.number($0) }
    }

    /// Whether so much is in use that nobody new should be let in.
    public var isShort: Bool {
        if let addressLimit, let used = KernelFile.read("/proc/self/statm").flatMap({ Self.number($0) }),
            Self.isShort(used * Int(sysconf(Int32(_SC_PAGESIZE))), of: addressLimit)
        {
            return true
        }
        guard let groupLimit, let used = KernelFile.read(groupPath + "/memory.current").flatMap({ Self.number($0) }) else {
            return false
        }
        // Files that were read or written a while ago are let go of before anybody has to die.
        let stat = (KernelFile.read(groupPath + "/memory.stat") ?? "").split(separator: "\n")
        let inactive = stat.first { $0.hasPrefix("inactive_file ") }.flatMap { Int($0.dropFirst("inactive_file ".count)) } ?? 0
        return Self.isShort(used - min(used, inactive), of: groupLimit)
    }

    private static func isShort(_ used: Int, of limit: Int) -> Bool {
        Double(used) > greatestShare * Double(limit) || used + reserve > limit
    }

    /// The number at the start of a text.
    private static func number(_ text: String) -> Int? {
        text.prefix { $0.isNumber }.isEmpty ? nil : Int(text.prefix { $0.isNumber })
    }
}
