import Glibc

/// How many descriptors the process may have: calls, connections, streams and files each need some.
package enum DescriptorLimit {
    /// What is in force, and what it may be raised to; 1024, Linux's default, where the system does not tell.
    private static var limit: rlimit {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return rlimit(rlim_cur: 1024, rlim_max: 1024)
        }
        return limit
    }

    /// What the process may raise it to without a privilege.
    package static var highest: Int { Int(clamping: limit.rlim_max) }

    /// Raises it as far as is allowed; it is never lowered.
    /// - Parameter wanted: more is not needed.
    /// - Returns: what it is then.
    @discardableResult
    package static func raise(to wanted: Int = .max) -> Int {
        var limit = Self.limit
        let raised = min(limit.rlim_max, rlim_t(clamping: wanted))
        if limit.rlim_cur < raised {
            let former = limit.rlim_cur
            limit.rlim_cur = raised
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = former }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
