import Realtime

/// How fast calls go out: a stolen token, a program or a rule that went wild costs so much a minute, and no more.
package final class OutboundPace: Sendable {
    private static let windowMilliseconds = 60_000.0

    /// When calls went out within the last minute, the oldest first.
    private let times = Lock<[HostTime]>([])
    private let counters: CallCounters
    private let perMinute: @Sendable () -> Int

    /// - Parameter perMinute: calls that go out a minute at most; 0: any number.
    package init(_ counters: CallCounters, _ perMinute: @escaping @Sendable () -> Int) {
        (self.counters, self.perMinute) = (counters, perMinute)
    }

    /// Makes a call, where it is not one too many; only one that was made counts.
    /// - Throws: it is one too many, or why it cannot be made.
    func admit<Made>(now: HostTime, making make: () throws(Problem) -> Made) throws(Problem) -> Made {
        try admit(now: now)
        do throws(Problem) { return try make() } catch {
            times.withLock { times in
                if let index = times.firstIndex(of: now) { times.remove(at: index) }
            }
            throw error
        }
    }

    /// Takes note of one more call.
    /// - Throws: it is one too many.
    package func admit(now: HostTime) throws(Problem) {
        let most = perMinute()
        guard most > 0 else { return }
        let wait = times.withLock { times -> Double? in
            times.removeAll { now.milliseconds(since: $0) >= Self.windowMilliseconds }
            guard times.count >= most else {
                times.append(now)
                return nil
            }
            return Self.windowMilliseconds - now.milliseconds(since: times[times.count - most])
        }
        guard let wait else { return }
        counters.noteRefusal(.pace)
        throw Problem(
            429, "too many calls go out",
            "\(most) a minute are allowed; try again later, or raise softphone.calls_per_minute",
            retryAfterSeconds: max(1, Int((wait / 1000).rounded(.up))))
    }
}
