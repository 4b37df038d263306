import Link
import Metrics
import Reporting

/// What all calls together came to since the start: sums of what each tells once a second, and of its report.
///
/// A call's own counters only grow; what is added is how much they grew since the call told them last. Media that begin anew
/// count from nothing.
struct CallFigures: Sendable {
    /// What is remembered of a running call.
    private struct Memory {
        var last = CallStatistics()
        var isAnswered = false
        var hasOutcome = false
        var hasSetup = false
        var interruption = LastInterruption()
        /// Gaps that an event explained, and that the call books to somebody later.
        var explained = 0
    }

    static let delayBounds = [0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 1]
    static let stageBounds = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.5]
    static let setupBounds = [0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 60]
    static let durationBounds = [1.0, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 86_400]

    private var memories: [String: Memory] = [:]

    // Sums
    private(set) var outcomes: [CallRecord.Direction: [CallOutcome: Int]] = [:]
    private(set) var gaps: [GapCause: Int] = [:]
    private(set) var seconds = 0
    private(set) var concealedSeconds: [String: Double] = [:]
    private(set) var packets: [String: Int] = [:]
    private(set) var drops: [String: Int] = [:]
    private(set) var xruns: [String: Int] = [:]
    private(set) var echoAudibleSeconds = 0
    private(set) var echoRealignments = 0

    // Histograms
    private(set) var mouthToEar = Histogram(delayBounds)
    private(set) var localDelay = Histogram(delayBounds)
    private(set) var stages = Dictionary(
        uniqueKeysWithValues: DelayStage.allCases.map { ($0, Histogram(stageBounds)) })
    private(set) var jitter = Histogram(stageBounds)
    private(set) var roundTrip = Histogram(delayBounds)
    private(set) var quality = Histogram([1.5, 2, 2.5, 3, 3.25, 3.5, 3.75, 4, 4.25, 4.5])
    private(set) var echoLoss = Histogram([5, 10, 15, 20, 25, 30, 35, 40, 50])
    private(set) var iceSetup = Histogram(setupBounds)
    private(set) var dtlsSetup = Histogram(setupBounds)
    private(set) var requestDelay = ["answered": Histogram(setupBounds), "failed": Histogram(setupBounds)]
    private(set) var answerDelay = Histogram(setupBounds)
    private(set) var duration = Histogram(durationBounds)

    // MARK: A call tells

    /// Takes note of what happened to a call; `record` knows of it already.
    mutating func note(_ event: PartyNews, of record: CallRecord) {
        var memory = memories[record.id] ?? Memory()
        defer { memories[record.id] = memory }
        memory.interruption.note(event.body, at: event.milliseconds, isAnswered: memory.isAnswered)
        if case .stats(let statistics) = event.body { note(statistics, &memory, at: event.milliseconds) }
        if record.answered != nil, !memory.isAnswered {
            memory.isAnswered = true
            noteOutcome(.answered, of: record, &memory)
        }
        if record.state == .ended, !memory.isAnswered {
            noteOutcome(CallOutcome(sipCode: record.sipCode, endReason: record.endReason), of: record, &memory)
        }
    }

    /// Takes a call's report, and forgets the call.
    mutating func noteEnd(_ report: CallReport?, of record: CallRecord) {
        var memory = memories.removeValue(forKey: record.id) ?? Memory()
        guard let report else { return }
        noteGrowth(report.statistics, &memory, at: record.ended?.millisecondsSince1970 ?? .max)
        noteSetup(report.statistics, &memory)
        let outcome = memory.isAnswered ? "answered" : "failed"
        requestDelay[outcome]?.note(milliseconds: record.direction == .outgoing ? report.postDialMilliseconds : nil)
        if memory.isAnswered {
            answerDelay.note(milliseconds: report.setupMilliseconds)
            if let seconds = record.durationSeconds { duration.note(seconds) }
        }
    }

    /// Calls whose last figures say that about their echo.
    func calls(withEcho state: EchoControlState) -> Int { memories.values.count { EchoControlState($0.last.echo) == state } }

    private mutating func noteOutcome(_ outcome: CallOutcome, of record: CallRecord, _ memory: inout Memory) {
        guard record.kind == .sip, !memory.hasOutcome else { return }
        memory.hasOutcome = true
        outcomes[record.direction, default: [:]][outcome, default: 0] += 1
    }

    // MARK: Figures of a second

    private mutating func note(_ now: CallStatistics, _ memory: inout Memory, at milliseconds: Int64) {
        seconds += 1
        mouthToEar.note(milliseconds: now.mouthToEarMilliseconds)
        localDelay.note(milliseconds: now.localDelayMilliseconds)
        for stage in DelayStage.allCases { stages[stage]?.note(milliseconds: stage.value(in: now.ledger)) }
        jitter.note(milliseconds: now.jitterMilliseconds)
        roundTrip.note(milliseconds: now.roundTripMilliseconds)
        if let mos = now.mosLQ { quality.note(mos) }
        if let loss = now.echo?.erleDecibels { echoLoss.note(loss) }
        if now.echo?.echoAudible == true { echoAudibleSeconds += 1 }
        noteSetup(now, &memory)
        noteGrowth(now, &memory, at: milliseconds)
    }

    /// How the way was found and the keys were agreed on is told once a call.
    private mutating func noteSetup(_ now: CallStatistics, _ memory: inout Memory) {
        guard let setup = now.setup, !memory.hasSetup else { return }
        memory.hasSetup = true
        iceSetup.note(milliseconds: setup.iceMilliseconds)
        dtlsSetup.note(milliseconds: setup.dtlsMilliseconds)
    }

    private mutating func noteGrowth(_ now: CallStatistics, _ memory: inout Memory, at milliseconds: Int64) {
        var last = memory.last
        memory.last = now
        if Self.beganAnew(now, after: last) {
            // The ports stay bound, and what their link dropped is counted on.
            let dropped = last.drops
            last = CallStatistics()
            last.drops = dropped
            memory.explained = 0
        }
        func growth(_ path: KeyPath<CallStatistics, Int?>) -> Int {
            max(0, (now[keyPath: path] ?? 0) - (last[keyPath: path] ?? 0))
        }
        for (name, path) in Self.packetCounts { packets[name, default: 0] += growth(path) }
        for reason in LinkDropReason.allCases {
            let (count, former) = (now.drops[reason.rawValue] ?? 0, last.drops[reason.rawValue] ?? 0)
            drops[reason.rawValue, default: 0] += count < former ? count : count - former
        }
        for (kind, reason) in Self.concealments {
            let more = (now.concealedByReason[reason] ?? 0) - (last.concealedByReason[reason] ?? 0)
            concealedSeconds[kind, default: 0] += max(0, more) / 1000
        }
        xruns["capture", default: 0] += growth(\.xruns.capture)
        xruns["playback", default: 0] += growth(\.xruns.playback)
        echoRealignments += growth(\.echo?.realignCount)
        gaps[.machine, default: 0] += growth(\.playoutGaps)
        let recent = memory.interruption.cause(at: milliseconds)
        let concealed = growth(\.concealedLong)
        guard now.gapsByCause != nil else {
            gaps[recent ?? .network, default: 0] += concealed
            return
        }
        // An event explains a gap at once; who stood still, if nothing happened, may only be known seconds later.
        if let recent {
            gaps[recent, default: 0] += concealed
            memory.explained += concealed
        }
        for (cause, path) in Self.standstills {
            let more = growth(path)
            let explained = min(more, memory.explained)
            memory.explained -= explained
            gaps[cause, default: 0] += more - explained
        }
    }

    /// Whether media of a call began anew, with another stream, since it told its figures last.
    private static func beganAnew(_ now: CallStatistics, after last: CallStatistics) -> Bool {
        func fell(_ path: KeyPath<CallStatistics, Int?>) -> Bool {
            guard let count = now[keyPath: path], let former = last[keyPath: path] else { return false }
            return count < former
        }
        return fell(\.packetsSent) || fell(\.packetsReceived)
    }

    /// Whom a call books its gaps of more than 60 ms to.
    private static let standstills: [(cause: GapCause, path: KeyPath<CallStatistics, Int?> & Sendable)] = [
        (.network, \.gapsByCause?.network.long), (.machine, \.gapsByCause?.machine.long), (.sender, \.gapsByCause?.sender.long),
    ]

    static let packetCounts: [(name: String, path: KeyPath<CallStatistics, Int?> & Sendable)] = [
        ("sent", \.packetsSent), ("received", \.packetsReceived), ("lost", \.packetsLost), ("late", \.packetsLate),
        ("duplicate", \.packetsDuplicate), ("reordered", \.packetsReordered),
    ]
    /// Names of ours and of the buffer's.
    static let concealments = [("short", "conceal_short"), ("long", "conceal_long")]
}

/// What happened to a call, and when (ms since 1970).
struct PartyNews {
    var body: EventBody
    var milliseconds: Int64
}
