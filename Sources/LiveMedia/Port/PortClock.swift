import RTP
import Realtime

/// What the calls of a port take for the time.
package struct PortClock: Sendable {
    /// The host's monotonic time.
    let now: @Sendable () -> HostTime
    /// The time that reports bear.
    let ntp: @Sendable () -> NTPTime

    /// The machine's.
    static let system = PortClock(now: { HostTime.monotonicNow() }, ntp: { NTPTime.now() })

    /// - Parameters:
    ///   - now: the host's monotonic time.
    ///   - ntp: the time that reports bear.
    package init(now: @escaping @Sendable () -> HostTime, ntp: @escaping @Sendable () -> NTPTime) {
        (self.now, self.ntp) = (now, ntp)
    }
}
