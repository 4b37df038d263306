import Realtime

/// When a request over UDP is sent again, and when it is given up (RFC 8489 section 6.2.1): after RTO, then after twice as long
/// each time.
struct Retransmission: Sendable {
    enum Step {
        case wait, again, giveUp
    }

    /// How often and how long; times in milliseconds.
    struct Schedule: Sendable {
        /// Rc: how often it is sent.
        var transmissions: Int
        /// Rm: how many RTO are waited after the last one.
        var lastWait: Double
        /// No wait between two is longer, unless RTO is.
        var longestWait: Double

        /// The numbers of RFC 8489: 79 RTO in all.
        static let standard = Schedule(transmissions: 7, lastWait: 16, longestWait: .infinity)
        /// About as long in all, but without a gap of several seconds: where a fifth of all datagrams is lost, a call is not to wait
        /// for the fifth one.
        static let check = Schedule(transmissions: 20, lastWait: 4, longestWait: 1000)
        /// On a connection, which repeats by itself.
        static let once = Schedule(transmissions: 1, lastWait: 1, longestWait: .infinity)
    }

    /// How long an answer on a connection is waited for (RFC 8489 section 6.2.2), in milliseconds.
    static let streamMilliseconds = 39_500.0

    /// When `advance` has something to do.
    private(set) var next: HostTime
    private let schedule: Schedule
    private let first: Double
    private var interval: Double
    private var sent = 1

    /// Whether it was sent once only: then the answer tells the round trip (Karn).
    var isFirst: Bool { sent == 1 }

    /// The first transmission is made at `now`. `timeout`: RTO in milliseconds.
    init(timeout: Double, _ schedule: Schedule = .standard, now: HostTime) {
        self.schedule = schedule
        first = timeout
        interval = timeout
        next = now.advanced(byMilliseconds: timeout)
    }

    mutating func advance(to now: HostTime) -> Step {
        guard now >= next else { return .wait }
        guard sent < schedule.transmissions else { return .giveUp }
        sent += 1
        interval = min(interval * 2, max(schedule.longestWait, first))
        next = now.advanced(byMilliseconds: sent == schedule.transmissions ? first * schedule.lastWait : interval)
        return .again
    }
}
