import Link
import Metrics
import RTP
import Realtime

/// A stream's RTCP (RFC 3550 section 6): reports both ways, round trip, BYE, and the send half of the delay ledger.
struct ControlPath {
    private var session: RTCPSession
    private let seed: UInt64
    /// Of the stream we send, in Hz.
    private var clockRate: Double
    /// What the other side last reported of the stream we send; `nil` before it did.
    private(set) var remoteFigures: SideFigures?
    private var losses: RemoteLosses
    /// The other side's delay from its microphone to its socket, in milliseconds; `nil` when it does not tell.
    private(set) var remoteSendDelayMilliseconds: Double?
    /// How the other side's machine stands still; `nil` when it does not tell.
    private var remoteStops: DelayLedgerMessage.SenderStops?
    /// For how long in all that it did, in milliseconds; `nil` when it does not tell.
    private var remoteStoppedMilliseconds: Double?
    /// When it stood still, as told since somebody asked.
    private var toldStops: [MachineStop]?
    /// Reports that tell of stops come with RTCP, once in some seconds: whoever sends more is not heeded.
    private var stopsLimit = EventLimit(burst: 4, perSecond: 2)
    /// What of this machine's stops the other side does not know.
    private var stops = StopTally()
    /// When the other side last told its delay.
    private var lastSendDelay: HostTime?
    /// Whether the other side sends back what it hears.
    private(set) var remoteEchoes = false
    private let echoes: Bool
    private var reportedLoss: ReportedLoss?
    private var lastReport: HostTime?
    /// What the other side's VoIP metrics (RFC 3611 section 4.7) last said of the stream we send.
    private var remoteMetrics: VoIPMetrics?
    private var roundTrips: [Double] = []
    private static let roundTripsKept = 12

    private var timing: RTCPSession.Configuration
    /// Packets under our SSRC that were sent before somebody was there.
    private var packetsToNobody: UInt32 = 0

    init(configuration: StreamConfiguration, identity: RTPIdentity, now: HostTime) {
        seed = configuration.seed
        losses = RemoteLosses(first: identity.firstSequence)
        echoes = configuration.echoes
        clockRate = Double(configuration.codec.rtpClockRate(sampleRate: configuration.sampleRate))
        var timing = RTCPSession.Configuration()
        timing.minimumInterval = configuration.reportIntervalSeconds
        timing.sessionBandwidth = Self.sessionBandwidth
        timing.rtcpBandwidth = configuration.rtcpBandwidth
        self.timing = timing
        session = RTCPSession(
            ssrc: identity.ssrc, cname: configuration.canonicalName, seed: configuration.seed, configuration: timing,
            now: now)
    }

    /// Two voices of up to 64 kbit/s (RFC 3550 section 6.2): 5 % of them let both sides report once a second.
    private static let sessionBandwidth = 128_000.0

    /// Somebody is there at last: reports begin as for a fresh member (RFC 3550 section 6.2), after 1 to 3 s instead of
    /// up to 6, since those of the wait reached nobody.
    /// - Parameters:
    ///   - sender: what was sent meanwhile.
    ///   - next: number of the packet that is sent next.
    mutating func join(at now: HostTime, sender: SenderInfo?, next: UInt16) {
        session = RTCPSession(ssrc: session.ssrc, cname: session.cname, seed: seed, configuration: timing, now: now)
        packetsToNobody = sender?.packets ?? 0
        losses = RemoteLosses(first: next)
    }

    /// RTCP of both sides together takes no more than that, in bit/s; 0: none is sent; `nil`: the usual share.
    mutating func limit(to bandwidth: Double?, now: HostTime) {
        timing.rtcpBandwidth = bandwidth
        session.limit(to: bandwidth, now: now)
    }

    /// By RTCP, the last one.
    var roundTripMilliseconds: Double? { session.roundTripMilliseconds }
    /// One way through the network without what jitter adds, which the jitter buffer's stage counts; `nil` before a round
    /// trip was measured.
    ///
    /// The shortest round trip is too long while few were measured: seldom do both of its packets meet no jitter. The
    /// mean less both ways' mean jitter is not, but trusts figures of other packets; it may therefore lie below the
    /// shortest by no more than twice what the shortest lies below the mean.
    /// - Parameter jitter: interarrival jitter of what we hear, in milliseconds.
    func networkMilliseconds(jitter: Double) -> Double? {
        guard let shortest = roundTrips.min() else { return nil }
        let mean = roundTrips.reduce(0, +) / Double(roundTrips.count)
        // RFC 3550's jitter is the mean difference of two delays: two thirds of their mean when spread evenly above 0.
        let jitterless = mean - 1.5 * (jitter + (remoteFigures?.jitterMilliseconds ?? 0))
        return min(max(jitterless, 3 * shortest - 2 * mean, 0), shortest) / 2
    }
    /// When the next report may be due.
    var nextDeadline: HostTime { session.nextDeadline }
    /// Datagrams that were no RTCP after all.
    var malformed: Int { session.statistics.malformed }

    /// Reports that bore our own SSRC: a loop or a collision.
    var collisions: Int { session.statistics.collisions }

    /// Loss of our stream in a report that came since the last call.
    mutating func takeReportedLoss() -> ReportedLoss? {
        defer { reportedLoss = nil }
        return reportedLoss
    }

    /// When the other side's machine stood still, on our clock, as it told since the last call; `nil`: it told nothing, not even that it
    /// did not.
    mutating func takeToldStops() -> [MachineStop]? {
        defer { toldStops = nil }
        return toldStops
    }

    /// This machine stood still: the next report tells.
    mutating func note(_ stop: MachineStop) { stops.note(stop) }

    /// How long this machine stood still since the call began, in milliseconds.
    var stoppedMilliseconds: Double { stops.totalMilliseconds }

    /// - Parameter source: the SSRC we hear; the BYE of another one is not for this call.
    mutating func receive(_ datagram: UnsafeRawBufferPointer, arrival: HostTime, source: UInt32?) -> PacketSign.Kind {
        var result = PacketSign.Kind.nothing
        for event in session.receive(datagram, arrival: arrival, heard: source) {
            switch event {
            case .remoteReport(let report):
                take(report, arrival: arrival)
                // Who reports on our stream under another SSRC than the one that is heard does not keep the call alive.
                if source == nil || report.reporter == source { result = .control }
            case .application(let packet):
                if let message = DelayLedgerMessage(packet) { take(message, arrival: arrival) }
                result = .control
            case .extendedReport(let reporter, let block):
                take(block)
                if source == nil || reporter == source { result = .control }
            case .roundTrip(let milliseconds):
                remoteFigures?.roundTripMilliseconds = milliseconds
                note(roundTrip: milliseconds)
            case .senderReport, .sourceDescription:
                result = .control
            case .bye(let sources, let reason):
                guard source.map({ sources.contains($0) }) ?? true else { continue }
                return reason == SourceChangeReason.clock.rawValue ? .sourceLeft : .goodbye
            case .malformed:
                break
            }
        }
        return result
    }

    /// A delay that no call has is nobody's.
    private mutating func take(_ message: DelayLedgerMessage, arrival: HostTime) {
        remoteEchoes = message.echoes
        guard message.sendDelayMilliseconds <= Self.greatestSendDelay else { return }
        remoteStops = message.stops
        if stopsLimit.admit(at: arrival) { take(message.stops?.recent, arrival: arrival) }
        remoteFigures?.take(remoteStops, stoppedMilliseconds: remoteStoppedMilliseconds)
        lastSendDelay = arrival
        remoteSendDelayMilliseconds = message.sendDelayMilliseconds
        remoteFigures?.sendDelayMilliseconds = message.sendDelayMilliseconds
        remoteFigures?.noteReceiveDelay(remoteMetrics)
    }

    /// What the other side's machine did since the report before; `nil`: it did not stand still, as far as it tells.
    private mutating func take(_ recent: DelayLedgerMessage.RecentStops?, arrival: HostTime) {
        toldStops = (toldStops ?? []) + (recent?.latest ?? []).map { MachineStop($0, arrival: arrival) }
        guard let recent else { return }
        remoteStoppedMilliseconds = (remoteStoppedMilliseconds ?? 0) + Double(recent.totalMilliseconds)
    }

    /// Time passes: what the other side told of its delay lasts for five report intervals (docs/rtcp-delay-app.md).
    mutating func advance(to now: HostTime) {
        guard let told = lastSendDelay, now.milliseconds(since: told) > Self.sendDelayLifetime else { return }
        lastSendDelay = nil
        remoteSendDelayMilliseconds = nil
        remoteFigures?.sendDelayMilliseconds = nil
    }

    /// Milliseconds.
    private static let greatestSendDelay = 5000.0
    /// Five intervals of RFC 3550 section 6.2, the longest drawn, in milliseconds.
    private static let sendDelayLifetime = 5 * 1.5 * 5000.0

    private mutating func take(_ report: RemoteReport, arrival: HostTime) {
        var figures = SideFigures()
        losses.take(report.block)
        figures.packetsLost = losses.lost
        figures.lostRatio = remoteLostRatio
        figures.jitterMilliseconds = Double(report.block.jitter) * 1000 / clockRate
        figures.roundTripMilliseconds = report.roundTripMilliseconds
        if let roundTrip = report.roundTripMilliseconds { note(roundTrip: roundTrip) }
        figures.sendDelayMilliseconds = remoteSendDelayMilliseconds
        figures.take(remoteStops, stoppedMilliseconds: remoteStoppedMilliseconds)
        figures.take(remoteMetrics)
        figures.noteReceiveDelay(remoteMetrics)
        remoteFigures = figures
        reportedLoss = ReportedLoss(ratio: report.lossPercent / 100)
        if let lastReport { reportedLoss?.seconds = arrival.milliseconds(since: lastReport) / 1000 }
        lastReport = arrival
    }

    /// Lost of expected of all that we sent, 0…1.
    private var remoteLostRatio: Double {
        losses.ratio(metrics: remoteMetrics?.lossRate, interval: (session.lastRemoteReport?.lossPercent ?? 0) / 100)
    }

    /// Comes after the report block in the same compound, and says how its losses lie.
    private mutating func take(_ block: ExtendedReportBlock) {
        switch block {
        case .lossRLE(_, 0, let interval):
            let (runs, packets) = interval.lossRuns
            reportedLoss?.runs = ReportedLoss.Runs(count: runs, packets: packets)
        case .voipMetrics(let metrics):
            remoteMetrics = metrics
            let lostRatio = remoteLostRatio
            remoteFigures?.take(metrics)
            remoteFigures?.lostRatio = lostRatio
            remoteFigures?.noteReceiveDelay(metrics)
            if metrics.gapThreshold == UInt8(LossPattern.gapThreshold) {
                reportedLoss?.burstDensity = metrics.burstDensity
            }
        default:
            break
        }
    }

    private mutating func note(roundTrip: Double) {
        if roundTrips.count == Self.roundTripsKept { roundTrips.removeFirst() }
        roundTrips.append(roundTrip)
    }

    /// Whether a report is to be sent at `now`: then `report` must follow.
    mutating func isReportDue(now: HostTime) -> Bool {
        now >= session.nextDeadline && session.isReportDue(now: now)
    }

    /// Sends the report that is due.
    mutating func report(
        now: HostTime, ntp: NTPTime, sender: SenderInfo?, reports: [ReportBlock], extended: [ExtendedReportBlock],
        sendDelayMilliseconds: Double?, machine: MachineReading?, link: any PacketLink
    ) {
        var applications: [ApplicationPacket] = []
        if let sendDelayMilliseconds {
            var message = DelayLedgerMessage(sendDelayMilliseconds: sendDelayMilliseconds, echoes: echoes)
            if let machine, machine.stops > 0 || !stops.isEmpty {
                message.stops = DelayLedgerMessage.SenderStops(
                    count: machine.stops, longestMilliseconds: machine.longestMilliseconds, recent: stops.take(at: now))
            }
            applications = [message.packet(ssrc: session.ssrc)]
        }
        session.usesReducedMinimum = stops.isNews(at: now)
        let packet = session.makeReport(
            now: now, ntp: ntp, sender: sender, reports: reports, applications: applications, extended: extended)
        link.send(copying: packet, on: .control, now: now)
    }

    /// Gives up our SSRC for another one (RFC 3550 section 8.2, RFC 7160 section 4.1).
    /// - Parameters:
    ///   - clockRate: of what we send from now on, in Hz.
    ///   - sender: what was sent under the one that is given up.
    ///   - next: number of the packet that is sent next.
    mutating func changeSource(
        to ssrc: UInt32, clockRate: Int, because reason: SourceChangeReason, now: HostTime, ntp: NTPTime,
        sender: SenderInfo?, next: UInt16, link: any PacketLink
    ) {
        self.clockRate = Double(clockRate)
        losses.changeSource(first: next)
        defer { packetsToNobody = 0 }
        guard maySayBye(sender) else { return session.goOn(as: ssrc) }
        let packet = session.makeBye(replacedBy: ssrc, now: now, ntp: ntp, sender: sender, reason: reason.rawValue)
        link.send(copying: packet, on: .control, now: now)
    }

    /// Whether anybody can know us: who has sent nothing may say no goodbye (RFC 3550 section 6.3.7).
    private func maySayBye(_ sender: SenderInfo?) -> Bool {
        !session.isSilent && (session.statistics.sent > 0 || (sender?.packets ?? 0) > packetsToNobody)
    }

    /// Says goodbye, unless nobody knows us.
    mutating func sendBye(now: HostTime, ntp: NTPTime, sender: SenderInfo?, link: any PacketLink) {
        guard maySayBye(sender) else { return }
        let packet = session.makeBye(now: now, ntp: ntp, sender: sender, reason: "call ended")
        link.send(copying: packet, on: .control, now: now)
    }
}

/// Why we go on under another SSRC; the text of the BYE.
package enum SourceChangeReason: String {
    /// Another participant has our SSRC (RFC 3550 section 8.2).
    case collision = "SSRC collision"
    /// Whoever reads this knows that more follows.
    case clock = "clock rate changes"
}

extension SideFigures {
    /// What the side tells of its machine; nothing when it does not.
    fileprivate mutating func take(_ stops: DelayLedgerMessage.SenderStops?, stoppedMilliseconds: Double?) {
        machineStops = stops?.count
        machineLongestMilliseconds = stops?.longestMilliseconds
        machineStoppedMilliseconds = stoppedMilliseconds
    }

    /// What VoIP metrics tell; nothing when there are none.
    fileprivate mutating func take(_ metrics: VoIPMetrics?) {
        guard let metrics else { return }
        lateRatio = metrics.discardRate
        jitterBufferMilliseconds = metrics.jitterBufferNominal > 0 ? metrics.jitterBufferNominal : nil
        rFactor = metrics.rFactor
        mosLQ = metrics.mosLQ
        mosCQ = metrics.mosCQ
    }

    /// Its delay from its socket to its loudspeaker is what its whole delay (RFC 3611 section 4.7.4) has beyond the one that it tells
    /// of its sending.
    fileprivate mutating func noteReceiveDelay(_ metrics: VoIPMetrics?) {
        guard let both = metrics?.endSystemMilliseconds, let send = sendDelayMilliseconds, both >= send else {
            receiveDelayMilliseconds = nil
            return
        }
        receiveDelayMilliseconds = both - send
    }
}
