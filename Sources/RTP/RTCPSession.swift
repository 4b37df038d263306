import Realtime

/// RTCP of one RTP session, RFC 3550 section 6: when to report, what to say, what the others say.
///
/// Use: at `nextDeadline` ask `isReportDue`; only if so gather report blocks and `makeReport`.
public struct RTCPSession: Sendable {
    /// Timing and identity.
    public struct Configuration: Sendable {
        /// Session bandwidth in bit/s, of which RTCP takes 5 % (section 6.2).
        public var sessionBandwidth = 64_000.0
        /// Bits a second for RTCP of all members together where that was told (RFC 3556); 0: none is sent; nil: 5 % of the session's.
        public var rtcpBandwidth: Double?
        /// Least deterministic interval in seconds; the drawn one is 0.5 to 1.5 times it, half that before the first
        /// report.
        public var minimumInterval = RTCPSession.usualInterval
        /// Accept compounds without a leading report (RFC 5506).
        public var acceptsReducedSize = false

        public init() {}
    }

    /// Ours; changes when another participant has the same one.
    public private(set) var ssrc: UInt32
    /// Tmin of RFC 3550 section 6.2 in seconds.
    public static let usualInterval = 5.0
    /// Canonical name, RFC 7022: lasting and without personal data. 255 bytes at most.
    public let cname: String
    public private(set) var statistics = RTCPStatistics()
    /// The newest report on our stream.
    public private(set) var lastRemoteReport: RemoteReport?
    /// The newest round trip.
    public private(set) var roundTripMilliseconds: Double?

    private var configuration: Configuration
    private var timer: RTCPTimer
    private var members = RTCPMembers()
    private var weSent = false
    /// Our last sender reports: LSR and when they were made. A block that names another is old, forged or not for us;
    /// and a step of the wall clock cannot reach the round trip, which monotonic time measures.
    private var sentReports = SentStamps()
    /// The same for our receiver reference times (RFC 3611 section 4.4).
    private var sentReferences = SentStamps()
    /// Before a collision or a change of clock; what names it is still about us, until somebody else is heard under it.
    private var former: FormerSource?

    private struct FormerSource {
        let ssrc: UInt32
        /// Until then it may be our own goodbye that comes back.
        var echoesUntil = HostTime.zero
    }

    /// No packet is on its way for longer, there and back, in milliseconds.
    private static let echoMilliseconds = 2000.0

    /// - `seed`: of the timer's randomness; differs between participants, or they all report at once.
    public init(
        ssrc: UInt32, cname: String, seed: UInt64, configuration: Configuration = Configuration(), now: HostTime
    ) {
        self.ssrc = ssrc
        self.cname = cname
        self.configuration = configuration
        timer = RTCPTimer(
            minimumInterval: configuration.minimumInterval, sessionBandwidth: configuration.sessionBandwidth,
            rtcpBandwidth: configuration.rtcpBandwidth, seed: seed, now: now)
    }

    /// No RTCP may be sent: no report comes due, and nobody says goodbye.
    public var isSilent: Bool { configuration.rtcpBandwidth == 0 }

    /// Another bandwidth was told while the session runs: the next report waits for an interval of that.
    /// - Parameters:
    ///   - bandwidth: as `Configuration.rtcpBandwidth` has it.
    ///   - now: when it was told.
    public mutating func limit(to bandwidth: Double?, now: HostTime) {
        configuration.rtcpBandwidth = bandwidth
        timer.limit(
            to: bandwidth, sessionBandwidth: configuration.sessionBandwidth, now: now, members: members.count, senders: senders,
            weSent: weSent)
    }

    /// Whether intervals drawn from now on keep the reduced minimum of RFC 3550 section 6.2 instead of the fixed one: for who has
    /// something to tell that is soon out of date. The share of the bandwidth stays what it is, and so does the first interval.
    public var usesReducedMinimum: Bool {
        get { timer.usesReducedMinimum }
        set { timer.usesReducedMinimum = newValue }
    }

    /// When to ask `isReportDue` next.
    public var nextDeadline: HostTime { timer.next }

    private var senders: Int { members.senders + (weSent ? 1 : 0) }

    /// Whether a report is to be sent now. Asked too early, or when reconsideration puts the report off (section
    /// 6.3.6), the answer is false and `nextDeadline` tells when to ask again.
    public mutating func isReportDue(now: HostTime) -> Bool {
        guard now >= timer.next else { return false }
        let seconds = timer.deterministicInterval(members: members.count, senders: senders, weSent: weSent)
        // Others may report less often than we do: their silence is measured by the usual interval (RFC 4585 section 3.5).
        let timeout = 5 * max(seconds, configuration.minimumInterval, Self.usualInterval)
        members.removeSilent(since: now.advanced(byMilliseconds: -1000 * timeout))
        return timer.expire(now: now, members: members.count, senders: senders, weSent: weSent)
    }

    /// A compound packet: sender or receiver report, SDES, the APP packets and the extended report blocks given, and the
    /// answers to the others' reference times. While we do not send, our reference time too: nobody could answer a sender
    /// report then. Schedules the next report.
    ///
    /// - `ntp`: wall clock at `now`.
    /// - `sender`: from `RTPSender.senderInfo` for `now`; nil while we do not send.
    /// - `reports`: from `RTPReceiver.makeReportBlocks`; LSR and DLSR are filled in here.
    public mutating func makeReport(
        now: HostTime, ntp: NTPTime, sender: SenderInfo?, reports: [ReportBlock],
        applications: [ApplicationPacket] = [], extended: [ExtendedReportBlock] = []
    ) -> [UInt8] {
        var bytes = report(now: now, ntp: ntp, sender: sender, reports: reports)
        for application in applications { RTCPPacket.application(application).append(to: &bytes) }
        var blocks = extended
        if sender == nil {
            blocks.append(.receiverReferenceTime(ntp))
            sentReferences.add(ntp.compact, at: now)
        }
        let answers = members.referenceAnswers(at: now)
        if !answers.isEmpty { blocks.append(.delaySinceLastReceiverReport(answers)) }
        if !blocks.isEmpty { RTCPPacket.extendedReport(ssrc: ssrc, blocks: blocks).append(to: &bytes) }
        weSent = sender != nil
        timer.sent(octets: bytes.count, now: now, members: members.count, senders: senders, weSent: weSent)
        statistics.sent += 1
        return bytes
    }

    /// A compound that says goodbye, to be sent at once (section 6.3.7: below 50 members without back-off).
    public mutating func makeBye(
        now: HostTime, ntp: NTPTime, sender: SenderInfo?, reports: [ReportBlock] = [], reason: String? = nil
    ) -> [UInt8] {
        var bytes = report(now: now, ntp: ntp, sender: sender, reports: reports)
        RTCPPacket.bye(ssrcs: [ssrc], reason: reason).append(to: &bytes)
        statistics.sent += 1
        return bytes
    }

    /// Goodbye of our SSRC before we go on under `replacement`: another participant uses it too (RFC 3550 section 8.2), or the
    /// clock rate changes (RFC 7160 section 4.1).
    public mutating func makeBye(
        replacedBy replacement: UInt32, now: HostTime, ntp: NTPTime, sender: SenderInfo?, reason: String
    ) -> [UInt8] {
        let packet = makeBye(now: now, ntp: ntp, sender: sender, reason: reason)
        goOn(as: replacement)
        former?.echoesUntil = now.advanced(byMilliseconds: Self.echoMilliseconds)
        return packet
    }

    /// Goes on under another SSRC without a goodbye: for who has sent nothing under the one before (section 6.3.7).
    /// - Parameter replacement: ours from now on.
    public mutating func goOn(as replacement: UInt32) { (former, ssrc) = (FormerSource(ssrc: ssrc), replacement) }

    private mutating func report(now: HostTime, ntp: NTPTime, sender: SenderInfo?, reports: [ReportBlock]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        let blocks = reports.prefix(31).map { block in
            var block = block
            if let report = members[block.ssrc]?.senderReport {
                block.lastSenderReport = report.compact
                block.delaySinceLastSenderReport = NTPTime.compactUnits(
                    milliseconds: now.milliseconds(since: report.arrival))
            }
            return block
        }
        if let sender {
            RTCPPacket.senderReport(ssrc: ssrc, ntp: ntp, info: sender, reports: blocks).append(to: &bytes)
            sentReports.add(ntp.compact, at: now)
        } else {
            RTCPPacket.receiverReport(ssrc: ssrc, reports: blocks).append(to: &bytes)
        }
        RTCPPacket.sourceDescription([SourceDescription(ssrc: ssrc, cname: cname)]).append(to: &bytes)
        return bytes
    }

    /// Takes one datagram.
    /// - `heard`: the SSRC whose media is heard: then nobody else is a member or may say goodbye. What others report of our
    ///   stream counts all the same, since programs that only receive report under an SSRC of their own.
    public mutating func receive(
        _ datagram: UnsafeRawBufferPointer, arrival: HostTime, heard: UInt32? = nil
    ) -> [RTCPEvent] {
        let packets: [RTCPPacket]
        do {
            packets = try RTCPCompound.parse(datagram, reducedSize: configuration.acceptsReducedSize)
        } catch {
            statistics.malformed += 1
            return [.malformed(error)]
        }
        statistics.received += 1
        timer.note(octets: datagram.count)
        // Who is heard under it after a collision keeps it: it is not ours any more.
        if let former, former.ssrc == heard, arrival >= former.echoesUntil { self.former = nil }
        var events: [RTCPEvent] = []
        for packet in packets { take(packet, arrival: arrival, heard: heard, into: &events) }
        return events
    }

    private mutating func take(
        _ packet: RTCPPacket, arrival: HostTime, heard: UInt32?, into events: inout [RTCPEvent]
    ) {
        func isMember(_ source: UInt32) -> Bool { heard == nil || source == heard }
        switch packet {
        case .senderReport(let source, let ntp, let info, let reports):
            if source == ssrc { statistics.collisions += 1 }
            guard isForeign(source) else { return }
            if isMember(source) {
                members.heard(source, at: arrival, senderReport: ntp.compact)
                events.append(.senderReport(ssrc: source, ntp: ntp, info: info))
            }
            take(reports, of: source, arrival: arrival, into: &events)
        case .receiverReport(let source, let reports):
            if source == ssrc { statistics.collisions += 1 }
            guard isForeign(source) else { return }
            if isMember(source) { members.heard(source, at: arrival, senderReport: nil) }
            take(reports, of: source, arrival: arrival, into: &events)
        case .sourceDescription(let chunks):
            for chunk in chunks where isForeign(chunk.ssrc) && isMember(chunk.ssrc) { events.append(.sourceDescription(chunk)) }
        case .bye(let sources, let reason):
            let foreign = sources.filter { isForeign($0) && isMember($0) }
            guard !foreign.isEmpty else { return }
            for source in foreign { members.remove(source) }
            timer.membersLeft(now: arrival, members: members.count)
            events.append(.bye(ssrcs: foreign, reason: reason))
        case .application(let application):
            guard isForeign(application.ssrc), isMember(application.ssrc) else { return }
            events.append(.application(application))
        case .extendedReport(let source, let blocks):
            guard isForeign(source) else { return }
            for block in blocks { take(block, of: source, arrival: arrival, into: &events) }
        case .unknown:
            statistics.unknown += 1
        }
    }

    private mutating func take(
        _ block: ExtendedReportBlock, of source: UInt32, arrival: HostTime, into events: inout [RTCPEvent]
    ) {
        switch block {
        case .receiverReferenceTime(let time):
            members.heardReference(source, compact: time.compact, at: arrival)
        case .delaySinceLastReceiverReport(let answers):
            for answer in answers where answer.ssrc == ssrc {
                guard
                    let roundTrip = sentReferences.roundTrip(
                        to: answer.lastReceiverReference, held: answer.delay, arrival: arrival)
                else { continue }
                roundTripMilliseconds = roundTrip
                events.append(.roundTrip(milliseconds: roundTrip))
            }
        case .lossRLE(let target, _, _):
            if target == ssrc { events.append(.extendedReport(reporter: source, block: block)) }
        case .statisticsSummary(let summary):
            if summary.ssrc == ssrc { events.append(.extendedReport(reporter: source, block: block)) }
        case .voipMetrics(let metrics):
            if metrics.ssrc == ssrc { events.append(.extendedReport(reporter: source, block: block)) }
        }
    }

    private mutating func take(
        _ reports: [ReportBlock], of source: UInt32, arrival: HostTime, into events: inout [RTCPEvent]
    ) {
        for block in reports where block.ssrc == ssrc {
            let report = RemoteReport(
                reporter: source, block: block, arrival: arrival,
                roundTripMilliseconds: sentReports.roundTrip(
                    to: block.lastSenderReport, held: block.delaySinceLastSenderReport, arrival: arrival))
            lastRemoteReport = report
            roundTripMilliseconds = report.roundTripMilliseconds ?? roundTripMilliseconds
            events.append(.remoteReport(report))
        }
    }

    private mutating func isForeign(_ source: UInt32) -> Bool {
        let isOwn = source == ssrc || source == former?.ssrc
        if isOwn { statistics.ownSource += 1 }
        return !isOwn
    }
}
