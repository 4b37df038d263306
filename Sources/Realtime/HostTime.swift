import CRealtime

/// A point on the monotonic host clock, in nanoseconds.
///
/// Protocol and signal code takes it as a parameter and never asks for it, so that a call can run in virtual time.
@frozen
public struct HostTime: Comparable, Hashable, Sendable, BitwiseCopyable {
    /// Nanoseconds since an arbitrary start (boot for the live clock, 0 for a virtual one).
    public var nanoseconds: Int64

    @inlinable @_noLocks
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The time `milliseconds` after the clock's start.
    @inlinable
    public init(milliseconds: Double) { nanoseconds = Int64(milliseconds * 1e6) }

    /// The clock's start.
    public static let zero = HostTime(nanoseconds: 0)

    /// This time moved by `milliseconds`, which may be negative.
    @inlinable
    public func advanced(byMilliseconds milliseconds: Double) -> HostTime {
        HostTime(nanoseconds: nanoseconds &+ Int64(milliseconds * 1e6))
    }

    /// Milliseconds from `earlier` to this time; negative when `earlier` is later.
    @inlinable @_noLocks
    public func milliseconds(since earlier: HostTime) -> Double {
        Double(nanoseconds &- earlier.nanoseconds) / 1e6
    }

    @inlinable @_noLocks
    public static func < (left: HostTime, right: HostTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// `CLOCK_MONOTONIC` now. Only the edges (devices, sockets, the media thread) call it.
    @_noLocks
    public static func monotonicNow() -> HostTime { HostTime(nanoseconds: crt_monotonic_ns()) }
}
