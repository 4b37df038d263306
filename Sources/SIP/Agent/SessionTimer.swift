import Realtime

/// RFC 4028: who refreshes a session, when, and when it is over.
struct SessionTimer {
    /// As agreed on.
    let seconds: UInt32
    let isRefresher: Bool
    /// When the session is over unless it was refreshed: a little before the peer thinks so (section 10).
    let limit: HostTime
    /// When to refresh; nil: the peer does, or there is no time for another try.
    private(set) var refresh: HostTime?

    /// When something is due.
    var next: HostTime { refresh.map { min($0, limit) } ?? limit }

    init(seconds: UInt32, isRefresher: Bool, now: HostTime) {
        self.seconds = seconds
        self.isRefresher = isRefresher
        let milliseconds = 1000 * Double(seconds)
        limit = now.advanced(byMilliseconds: milliseconds - min(32_000, milliseconds / 3))
        refresh = isRefresher ? now.advanced(byMilliseconds: milliseconds / 2) : nil
    }

    /// A refresh begins. Should it come to nothing, the next one has half of the time that is left.
    mutating func begin(now: HostTime) {
        let rest = limit.milliseconds(since: now)
        refresh = rest > 10_000 ? now.advanced(byMilliseconds: rest / 2) : nil
    }
}
