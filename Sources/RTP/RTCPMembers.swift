import Realtime

/// The other participants, RFC 3550 section 6.2.1, in a table of bounded size.
struct RTCPMembers: Sendable {
    struct Member: Sendable {
        let ssrc: UInt32
        var lastHeard: HostTime
        /// Its last report was a sender report.
        var isSender = false
        /// Compact NTP time of its last sender report (LSR) and when that arrived.
        var senderReport: (compact: UInt32, arrival: HostTime)?
        /// The same of its last receiver reference time (RFC 3611 section 4.4).
        var receiverReference: (compact: UInt32, arrival: HostTime)?
    }

    /// A flood of invented sources grows nothing beyond this.
    static let capacity = 64

    private var table: [Member] = []

    /// Participants, we included.
    var count: Int { table.count + 1 }
    /// Participants known to send, without us.
    var senders: Int { table.reduce(0) { $0 + ($1.isSender ? 1 : 0) } }

    subscript(ssrc: UInt32) -> Member? { table.first { $0.ssrc == ssrc } }

    /// Notes a report of `ssrc`; `senderReport` is the compact NTP time if it was a sender report.
    mutating func heard(_ ssrc: UInt32, at time: HostTime, senderReport: UInt32?) {
        var index = table.firstIndex { $0.ssrc == ssrc }
        if index == nil, table.count < Self.capacity {
            index = table.count
            table.append(Member(ssrc: ssrc, lastHeard: time))
        }
        guard let index else { return }
        table[index].lastHeard = time
        table[index].isSender = senderReport != nil
        if let senderReport { table[index].senderReport = (senderReport, time) }
    }

    /// Notes the clock of a participant that reports.
    mutating func heardReference(_ ssrc: UInt32, compact: UInt32, at time: HostTime) {
        guard let index = table.firstIndex(where: { $0.ssrc == ssrc }) else { return }
        table[index].receiverReference = (compact, time)
    }

    /// Answers to the reference times heard, at most 31.
    func referenceAnswers(at now: HostTime) -> [ReceiverReferenceAnswer] {
        table.prefix(31).compactMap { member in
            member.receiverReference.map {
                ReceiverReferenceAnswer(
                    ssrc: member.ssrc, lastReceiverReference: $0.compact,
                    delay: NTPTime.compactUnits(milliseconds: now.milliseconds(since: $0.arrival)))
            }
        }
    }

    /// BYE, section 6.3.4.
    mutating func remove(_ ssrc: UInt32) { table.removeAll { $0.ssrc == ssrc } }

    /// Time-out of the silent, section 6.3.5.
    mutating func removeSilent(since limit: HostTime) { table.removeAll { $0.lastHeard < limit } }
}
