import LiveMedia
import RTP
import Realtime
import Synchronization

/// Time that passes when it is told to.
final class VirtualTime: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var now: HostTime { HostTime(nanoseconds: nanoseconds.load(ordering: .relaxed)) }

    func pass(milliseconds: Int64) { nanoseconds.wrappingAdd(milliseconds * 1_000_000, ordering: .relaxed) }

    /// For a port whose calls are stepped by it.
    var clock: PortClock { PortClock(now: { self.now }, ntp: { NTPTime(unixNanoseconds: self.now.nanoseconds) }) }
}
