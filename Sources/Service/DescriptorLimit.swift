import Glibc

/// Descriptors that the process may have: calls, connections and streams each need some.
enum DescriptorLimit {
    /// More than all calls and connections together need.
    private static let wanted: rlim_t = 16_384

    /// Raises the limit as far as is allowed and useful.
    /// - Returns: what it is then.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        if limit.rlim_cur < min(limit.rlim_max, wanted) {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, wanted)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
