import Realtime

/// Whether another relay is asked for in place of one that was lost in mid-call: a server that gives and takes in turn must not keep both
/// sides busy.
package struct RelayRenewal {
    private static let leastMilliseconds = 60_000.0
    private var last: HostTime?

    package init() {}

    /// One has been lost.
    ///
    /// - Parameter now: the present time.
    /// - Returns: whether another one is worth it; else the call has no way any more.
    package mutating func isDue(now: HostTime) -> Bool {
        if let last, now.milliseconds(since: last) < Self.leastMilliseconds { return false }
        last = now
        return true
    }
}
