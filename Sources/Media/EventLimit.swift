import Realtime

/// Lets events through at a bounded rate and counts what it leaves out: a stranger who can cause an event must not be able to
/// drown all others. A token bucket.
public struct EventLimit: Sendable {
    private let burst: Double
    private let perMillisecond: Double
    private var tokens: Double
    private var latest: HostTime?
    private var leftOut = 0
    private var toldAt: HostTime?

    /// Between two notices of what was left out.
    private static let noticeMilliseconds = 1000.0

    /// - Parameters:
    ///   - burst: events that may come at once, 1 or more.
    ///   - perSecond: events that may come in the long run.
    public init(burst: Int, perSecond: Double) {
        self.burst = Double(max(1, burst))
        perMillisecond = max(0, perSecond) / 1000
        tokens = self.burst
    }

    /// Whether the event that happened at `now` may be told; counts it as left out if not.
    public mutating func admit(at now: HostTime) -> Bool {
        if let latest { tokens = min(burst, tokens + max(0, now.milliseconds(since: latest)) * perMillisecond) }
        latest = max(latest ?? now, now)
        guard tokens >= 1 else {
            leftOut += 1
            return false
        }
        tokens -= 1
        return true
    }

    /// Events left out since this was last told; 0 when there are none, or when it was told less than a second ago.
    public mutating func takeLeftOut(at now: HostTime) -> Int {
        guard leftOut > 0, now.milliseconds(since: toldAt ?? .zero) >= Self.noticeMilliseconds || toldAt == nil else {
            return 0
        }
        defer { leftOut = 0 }
        toldAt = now
        return leftOut
    }
}
