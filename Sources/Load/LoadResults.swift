import Codecs
import Glibc
import Media
import Realtime
import Reporting

/// What one call of a load measured.
package struct LoadCallReport: Sendable, Equatable {
    let number: Int
    let local: String
    let ssrc: UInt32
    let codec: Codec
    let packetsSent: Int
    package let packetsReceived: Int
    package let packetsLost: Int
    /// Of ours, by the other side's reports.
    let lostThere: Int?
    package let duplicates: Int
    let gaps: Int
    let gapsExcused: Int
    /// When they ended, those that are not excused.
    let gapTimes: [HostTime]
    let setupMilliseconds: Double?
    let delayMilliseconds: Double?
    let jitterMilliseconds: Double
    /// How much of what was said came back, 0...1.
    let correlation: Double?
    let windowsFound: Int
    let windowsLost: Int
    let quality: CallQuality
    package let endedByPeer: Bool
    /// When its first packet left, and when its goodbye did.
    let firstSent: HostTime?
    let endedAt: HostTime?
    /// How late a packet of it left, at most, milliseconds.
    let latestMilliseconds: Double
    /// Whether somebody answered, by signalling, and after how long.
    let isAnswered: Bool
    let answerMilliseconds: Double?
    /// What signalling told of its end; nil: nothing, we ended it.
    let ending: LoadEnding?

    /// - Parameters:
    ///   - call: it is over.
    ///   - ear: what was found of its sound; nil: nobody looked.
    package init(_ call: LoadCall, _ ear: EchoEar?) {
        number = call.number
        local = "\(call.local)"
        ssrc = call.ssrc
        codec = call.codec
        packetsSent = call.packetsSent
        packetsReceived = call.received
        packetsLost = call.lost
        lostThere = call.lostThere
        duplicates = call.duplicates
        gaps = call.gaps
        gapsExcused = call.gapsExcused
        gapTimes = call.gapTimes
        setupMilliseconds = call.setupMilliseconds
        delayMilliseconds = ear?.delayMilliseconds
        jitterMilliseconds = call.jitterMilliseconds
        correlation = ear?.correlation
        windowsFound = ear?.windowsFound ?? 0
        windowsLost = ear?.windowsLost ?? 0
        quality = CallQuality(
            call.codec, received: call.received, lost: call.lost, lossRuns: call.lossRuns.count,
            delayMilliseconds: ear?.delayMilliseconds)
        endedByPeer = call.endedByPeer != nil
        (firstSent, endedAt, latestMilliseconds) = (call.firstSent, call.endedAt, call.latestMilliseconds)
        isAnswered = call.isAnswered
        answerMilliseconds = call.answerMilliseconds
        ending = call.ending
    }

    var isConnected: Bool { packetsReceived > 0 }

    /// For JSON; unknown is null.
    package var members: [JSONMember] {
        func number(_ value: Double?, _ decimals: Int) -> JSONValue { value.map { .number($0, decimals: decimals) } ?? .null }
        return [
            JSONMember("call", .integer(self.number)), JSONMember("local_port", .integer(localPort)),
            JSONMember("ssrc", .integer(Int(ssrc))), JSONMember("codec", .string(codec.name)),
            JSONMember("packets_sent", .integer(packetsSent)),
            JSONMember("packets_received", .integer(packetsReceived)), JSONMember("packets_lost", .integer(packetsLost)),
            JSONMember("packets_lost_there", lostThere.map { .integer($0) } ?? .null),
            JSONMember("packets_duplicate", .integer(duplicates)),
            JSONMember("gaps", .integer(gaps)), JSONMember("gaps_excused", .integer(gapsExcused)),
            JSONMember("setup_ms", number(setupMilliseconds, 1)),
            JSONMember("mouth_to_ear_ms", number(delayMilliseconds, 2)),
            JSONMember("jitter_ms", number(jitterMilliseconds, 2)), JSONMember("correlation", number(correlation, 4)),
            JSONMember("mos_lq", number(quality.mosLQ, 2)), JSONMember("mos_cq", number(quality.mosCQ, 2)),
            JSONMember("ended_by_peer", .boolean(endedByPeer)),
            JSONMember("answer_ms", number(answerMilliseconds, 1)),
            JSONMember("sip_code", ending?.sipCode.map { .integer($0) } ?? .null),
            JSONMember("end_reason", ending.map { .string($0.reason.rawValue) } ?? .null),
            JSONMember("explanation", ending.map { .string($0.text) } ?? .null),
        ]
    }

    private var localPort: Int { local.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
}

/// What all calls of a load measured together.
package struct LoadResults {
    /// Calls that were to be made.
    let calls: Int
    /// The load's own lateness, milliseconds: a packet's time to leave until it left.
    package var lateness = LatenessMeter()
    /// From mouth to ear of every packet whose sound was found again, milliseconds.
    var delays = LatenessMeter(limitMilliseconds: 2000)
    /// Datagrams that are neither RTP of the payload type nor RTCP.
    private(set) var otherPackets = 0
    /// Stretches of sound that nobody had time to look at.
    private(set) var stretchesLeftOut = 0
    private(set) var connected = 0
    /// By signalling.
    private(set) var answered = 0
    private var refused = RefusedCalls()
    /// Of calls that began.
    private var byCodec: [String: Int] = [:]
    private(set) var endedByPeer = 0
    private(set) var packetsSent = 0
    private(set) var packetsReceived = 0
    private(set) var packetsLost = 0
    private(set) var gaps = 0
    private(set) var gapsExcused = 0
    private var gapTimes = GapTimes()
    private(set) var soundLost = 0
    private(set) var soundFound = 0
    /// Calls that could not even begin, and the first reason.
    private(set) var failures = 0
    private(set) var firstFailure: String?
    /// Packets, RTCP among them, that the kernel refused to send.
    package var sendFailures = 0
    /// Error number of the last of them; nil: there was none.
    package var lastSendError: Int32?
    private var answer = Distribution()
    private var setup = Distribution()
    private var jitter = Distribution()
    private var lostRatio = Distribution()
    private var correlation = Distribution()
    private var callDelay = Distribution()
    private var listening = Distribution()
    private var conversation = Distribution()
    /// Processor time of the load itself, as a share of one core.
    var processorShare: Double?

    package init(calls: Int) { self.calls = calls }

    /// Adds what a runner counted of its calls together.
    mutating func add(_ runner: LoadRunnerFigures) {
        lateness.add(runner.lateness)
        otherPackets += runner.otherPackets
        failures += runner.failures
        firstFailure = firstFailure ?? runner.firstFailure
        sendFailures += runner.sendFailures
        lastSendError = runner.lastSendError ?? lastSendError
        stretchesLeftOut += runner.stretchesLeftOut
    }

    package mutating func add(_ call: LoadCallReport) {
        packetsSent += call.packetsSent
        byCodec[call.codec.name, default: 0] += 1
        if call.isConnected { connected += 1 }
        if call.endedByPeer { endedByPeer += 1 }
        if call.isAnswered { answered += 1 } else if let ending = call.ending, !ending.isOurs { refused.add(ending) }
        packetsReceived += call.packetsReceived
        packetsLost += call.packetsLost
        gaps += call.gaps
        gapsExcused += call.gapsExcused
        gapTimes.add(call.gapTimes, ofCallFrom: call.firstSent)
        soundFound += call.windowsFound
        soundLost += call.windowsLost
        if let value = call.answerMilliseconds { answer.add(value) }
        if let value = call.setupMilliseconds { setup.add(value) }
        guard call.isConnected else { return }
        jitter.add(call.jitterMilliseconds)
        lostRatio.add(Double(call.packetsLost) / Double(call.packetsLost + call.packetsReceived))
        if let value = call.delayMilliseconds { callDelay.add(value) }
        if let value = call.correlation { correlation.add(value) }
        if let value = call.quality.mosLQ { listening.add(value) }
        if let value = call.quality.mosCQ { conversation.add(value) }
    }

    /// Lateness above which the load may itself be what it measures, as p99 and once, milliseconds.
    static let validLateness99 = 2.0
    static let validLatenessMaximum = 20.0

    /// Whether the load was quick enough to say something of the other side.
    private var isInTime: Bool {
        lateness.count > 0 && (lateness.quantile(0.99) ?? 0) <= Self.validLateness99
            && lateness.maximum <= Self.validLatenessMaximum
    }

    /// Whether it says something of the other side: it was quick enough, and all that it had to send left.
    package var isValid: Bool { isInTime && failures == 0 && sendFailures == 0 }

    /// What could not be sent, and why; nil: all left.
    private var unsent: String? {
        guard sendFailures > 0 else { return nil }
        let reason = lastSendError.map { String(cString: strerror($0)) } ?? "unknown"
        return "\(sendFailures) packets could not be sent, last because: \(reason)"
    }

    /// Names and values of what is told, in the order in which it is told.
    package mutating func report() -> LoadReport {
        var delay = FigureSummary()
        delay.median = delays.quantile(0.5)
        delay.quantile90 = delays.quantile(0.9)
        delay.quantile99 = delays.quantile(0.99)
        delay.maximum = delays.count > 0 ? delays.maximum : nil
        delay.mean = delays.mean
        delay.minimum = delays.quantile(0)
        return LoadReport(
            counts: [
                ("calls", calls), ("connected", connected), ("not_connected", calls - connected),
                ("could_not_begin", failures), ("answered", answered), ("ended_by_peer", endedByPeer),
                ("packets_sent", packetsSent),
                ("packets_received", packetsReceived), ("packets_lost", packetsLost), ("gaps", gaps),
                ("gaps_excused", gapsExcused), ("sound_found", soundFound), ("sound_not_found", soundLost),
            ],
            generator: [
                ("late_p50_ms", lateness.quantile(0.5)), ("late_p99_ms", lateness.quantile(0.99)),
                ("late_max_ms", lateness.count > 0 ? lateness.maximum : nil), ("processor_share", processorShare),
                ("send_failures", Double(sendFailures)),
            ],
            isValid: isValid, isInTime: isInTime, unsent: unsent, gapsAt: gapTimes.moments, refused: refused,
            callsByCodec: byCodec.map { (codec: $0.key, calls: $0.value) }
                .sorted { ($1.calls, $0.codec) < ($0.calls, $1.codec) },
            distributions: [
                ("answer_ms", answer.summary()), ("setup_ms", setup.summary()), ("mouth_to_ear_ms", delay),
                ("call_mouth_to_ear_ms", callDelay.summary()),
                ("jitter_ms", jitter.summary()), ("lost_ratio", lostRatio.summary()), ("correlation", correlation.summary()),
                ("mos_lq", listening.summary()), ("mos_cq", conversation.summary()),
            ])
    }
}
