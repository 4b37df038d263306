import Realtime

/// When to send RTCP: the algorithm of RFC 3550 section 6.3 and appendix A.7, with its names.
struct RTCPTimer: Sendable {
    /// Expectation of the interval after reconsideration, relative to the drawn one: e - 3/2.
    static let compensation = 1.218_281_828_459_045
    /// UDP and IPv4 header: lower layers count (section 6.2).
    static let headerOctets = 28

    /// Seconds; 5 by section 6.2.
    let minimumInterval: Double
    /// Seconds; the reduced minimum of section 6.2, 360 / (bandwidth in kbit/s), where that is less.
    private let reducedMinimum: Double
    /// Whether the reduced minimum is in force; the first interval is half the fixed one all the same.
    var usesReducedMinimum = false
    /// Octets a second for all RTCP of the session; 0: there is none.
    private(set) var rtcpBandwidth: Double
    /// The bandwidth was told (RFC 3556), and goes before what limits the interval.
    private var isTold: Bool
    /// Seconds; the bandwidth rule of section 6.3.1 may ask for hours when somebody sends great reports under many names,
    /// and a call's other side takes long silence for its end.
    private var maximumInterval: Double { isTold ? Self.longestInterval : max(10, 2 * minimumInterval) }
    /// Of a bandwidth that was told, and longer than any call, in seconds.
    private static let longestInterval = 3600.0
    private static let never = 1e8

    /// tp: last transmission.
    private(set) var previous: HostTime
    /// tn: next scheduled transmission.
    private(set) var next: HostTime
    private(set) var initial = true
    private(set) var averageSize: Double = 128
    private var previousMembers = 1
    private var random: SplitMix64

    /// - Parameters:
    ///   - minimumInterval: in seconds.
    ///   - sessionBandwidth: in bit/s, of which RTCP takes 5 %.
    ///   - rtcpBandwidth: in bit/s, where it was told; 0: nothing is ever due; nil: the share of the session's.
    ///   - seed: of the randomness.
    ///   - now: when the session begins.
    init(minimumInterval: Double, sessionBandwidth: Double, rtcpBandwidth told: Double? = nil, seed: UInt64, now: HostTime) {
        self.minimumInterval = max(0.001, minimumInterval)
        reducedMinimum = min(self.minimumInterval, 360_000 / max(1, sessionBandwidth))
        (rtcpBandwidth, isTold) = Self.bandwidth(told, of: sessionBandwidth)
        random = SplitMix64(seed: seed)
        previous = now
        next = now
        next = after(now, interval(members: 1, senders: 0, weSent: false))
    }

    /// Octets a second, and whether they were told.
    private static func bandwidth(_ told: Double?, of sessionBandwidth: Double) -> (Double, Bool) {
        if let told { (max(0, told / 8), true) } else { (max(1, sessionBandwidth / 8 * 0.05), false) }
    }

    /// Another bandwidth is told: the next interval, drawn anew, begins now.
    mutating func limit(
        to told: Double?, sessionBandwidth: Double, now: HostTime, members: Int, senders: Int, weSent: Bool
    ) {
        (rtcpBandwidth, isTold) = Self.bandwidth(told, of: sessionBandwidth)
        previous = now
        next = after(now, interval(members: members, senders: senders, weSent: weSent))
    }

    /// The interval before randomisation, in seconds: section 6.3.1, first part of rtcp_interval in appendix A.7.
    func deterministicInterval(members: Int, senders: Int, weSent: Bool) -> Double {
        guard rtcpBandwidth > 0 else { return Self.never }
        let minimum = initial ? minimumInterval / 2 : usesReducedMinimum ? reducedMinimum : minimumInterval
        var bandwidth = rtcpBandwidth
        var n = members
        if Double(senders) <= Double(members) * 0.25 {
            if weSent {
                bandwidth *= 0.25
                n = senders
            } else {
                bandwidth *= 0.75
                n -= senders
            }
        }
        return min(max(minimum, averageSize * Double(n) / bandwidth), maximumInterval)
    }

    private mutating func interval(members: Int, senders: Int, weSent: Bool) -> Double {
        deterministicInterval(members: members, senders: senders, weSent: weSent)
            * Double.random(in: 0.5..<1.5, using: &random) / Self.compensation
    }

    private func after(_ time: HostTime, _ seconds: Double) -> HostTime {
        time.advanced(byMilliseconds: 1000 * seconds)
    }

    /// OnExpire of appendix A.7: true when a report is to be sent now, else the timer was put off (reconsideration).
    mutating func expire(now: HostTime, members: Int, senders: Int, weSent: Bool) -> Bool {
        guard now >= next else { return false }
        next = after(previous, interval(members: members, senders: senders, weSent: weSent))
        previousMembers = members
        return next <= now
    }

    /// A report of `octets` was sent: the second half of OnExpire. The interval is drawn again, for the one that led
    /// here was on the condition of being short.
    mutating func sent(octets: Int, now: HostTime, members: Int, senders: Int, weSent: Bool) {
        note(octets: octets)
        previous = now
        initial = false
        next = after(now, interval(members: members, senders: senders, weSent: weSent))
    }

    /// Average over all RTCP sent and received, section 6.3.3.
    mutating func note(octets: Int) {
        averageSize += (Double(octets + Self.headerOctets) - averageSize) / 16
    }

    /// Reverse reconsideration, section 6.3.4: members left, so the remaining ones may speak sooner.
    mutating func membersLeft(now: HostTime, members: Int) {
        guard members < previousMembers else { return }
        let ratio = Double(members) / Double(previousMembers)
        next = now.advanced(byMilliseconds: ratio * next.milliseconds(since: now))
        previous = now.advanced(byMilliseconds: -ratio * now.milliseconds(since: previous))
        previousMembers = members
    }
}
