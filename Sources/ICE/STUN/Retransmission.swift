import Realtime

/// When a request over UDP is sent again, and when it is given up (RFC 8489 section 6.2.1): after RTO, then after twice as long
/// each time.
struct Retransmission: Sendable {
    enum Step {
        case wait, again, giveUp
    }

    /// Rc and Rm of RFC 8489.
    private static let transmissions = 7
    private static let lastWait = 16.0

    /// When `advance` has something to do.
    private(set) var next: HostTime
    private var interval: Double
    private var sent = 1
    private let first: Double

    /// Whether it was sent once only: then the answer tells the round trip (Karn).
    var isFirst: Bool { sent == 1 }

    /// The first transmission is made at `now`. `timeout`: RTO in milliseconds.
    init(timeout: Double, now: HostTime) {
        first = timeout
        interval = timeout
        next = now.advanced(byMilliseconds: timeout)
    }

    mutating func advance(to now: HostTime) -> Step {
        guard now >= next else { return .wait }
        guard sent < Self.transmissions else { return .giveUp }
        sent += 1
        interval *= 2
        next = now.advanced(byMilliseconds: sent == Self.transmissions ? first * Self.lastWait : interval)
        return .again
    }
}
