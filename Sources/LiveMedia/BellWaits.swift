import Glibc
import Realtime

extension Bell {
    /// Waits until it is rung or until `deadline`; where there are `descriptors`, until one of them is readable too. The bell is no
    /// descriptor: it is heard two milliseconds later at most then.
    /// - Returns: whether it was rung.
    func wait(until deadline: HostTime, orFor descriptors: [Int32]) -> Bool {
        guard !descriptors.isEmpty else { return wait(until: deadline) }
        let now = HostTime.monotonicNow()
        guard !wait(until: now) else { return true }
        let milliseconds = Int32(max(0, min(2, deadline.milliseconds(since: now))))
        guard milliseconds > 0 else { return wait(until: deadline) }
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&entries, nfds_t(entries.count), milliseconds)
        return wait(until: now)
    }

    /// Waits until it is rung, whatever signals come.
    /// - Parameter deadline: when it is no longer waited for; nil: it will be rung.
    /// - Returns: whether it was rung.
    @discardableResult
    func waitUntilRung(until deadline: HostTime? = nil) -> Bool {
        let last = deadline ?? HostTime(nanoseconds: .max)
        repeat { if wait(until: last) { return true } } while .monotonicNow() < last
        return false
    }
}
