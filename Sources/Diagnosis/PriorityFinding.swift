import Glibc
import Threads

/// Whether threads of sound may be ahead of others.
package enum PriorityFinding {
    /// What sound's threads ask for.
    private static let priority = 10

    /// Starts a thread that asks for it.
    package static var isGranted: Bool {
        guard
            let thread = try? RealtimeThread(name: "priority", policy: .realtime(priority: priority), owning: 0, body: { _ in })
        else { return false }
        let granted = thread.granted
        thread.join()
        return granted != .normal
    }

    /// - Parameters:
    ///   - isGranted: what came of asking.
    ///   - limit: highest priority that the process may ask for (RLIMIT_RTPRIO); 0: none.
    package static func judge(isGranted: Bool, limit: UInt64, isWanted: Bool, _ machine: Machine) -> Finding {
        let subject = "real-time priority"
        guard isWanted else { return .fine(subject, .machine, "not asked for (audio.realtime)") }
        if isGranted { return .fine(subject, .machine, "granted") }
        if limit > 0 {
            return Finding(
                subject, .machine, .advice, "refused, although the limit allows \(limit)",
                "its control group has no real-time share (cgroup v1): on the host set cpu.rt_runtime_us of the group")
        }
        let remedy =
            switch machine.runtime {
            case .docker, .podman: "start it with --ulimit rtprio=20 --cap-add SYS_NICE"
            case .kubernetes: "add SYS_NICE to securityContext.capabilities, and raise the runtime's default rtprio limit"
            case .systemd: "set LimitRTPRIO=20 in the unit"
            case .none: "write `@audio - rtprio 20` into /etc/security/limits.d/audio.conf, join audio, and log in anew"
            }
        return Finding(subject, .machine, .advice, "refused: sound may stutter on a busy machine", remedy)
    }

    package static var limit: UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0 else { return 0 }
        return UInt64(limit.rlim_cur)
    }
}
