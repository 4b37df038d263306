import Glibc
import Media
import Reporting
import Softphone
import Terminal

/// Carries one call from its start to its exit status: events, keys, signals, the status line.
///
/// One loop on the main thread waits for whatever comes first; the call itself runs on its own threads.
struct CallConsole {
    private let call: any LiveCall
    private let events: EventSubscription<PartyEvent>
    private var printer: EventPrinter
    private let signals: TerminationSignal
    private let assertions: [Assertion]
    private let durationSeconds: Double?
    private let durationCountsFromMedia: Bool

    private let start = Pace.now()
    private var mediaStart: Double?
    private var mood = CallMood()
    private var status: StatusLine?
    /// Whom the person types, and what for.
    private var entry: (line: LineEntry, key: KeyCommand)?
    private var escapes = EscapeFilter()
    /// Why each party's call ended; the whole has when all have.
    private var endReasons: [Media.EndReason?]
    private var isEnding = false
    private var hasMissed = false
    /// Somebody has answered: that is a call, though nothing may have been heard.
    private var isAnswered = false

    /// - Parameter durationCountsFromMedia: a listener's time begins when somebody calls.
    init(
        call: any LiveCall, events: EventSubscription<PartyEvent>, printer: EventPrinter, signals: TerminationSignal,
        assertions: [Assertion],
        durationSeconds: Double?, durationCountsFromMedia: Bool
    ) {
        self.call = call
        self.events = events
        endReasons = Array(repeating: nil, count: call.parties)
        self.printer = printer
        self.signals = signals
        self.assertions = assertions
        self.durationSeconds = durationSeconds
        self.durationCountsFromMedia = durationCountsFromMedia
    }

    /// Runs until the call is over.
    mutating func run() -> ExitStatus {
        let terminal = printer.isForPerson ? TerminalMode() : nil
        if terminal != nil && printer.output.isTerminal {
            status = StatusLine(output: printer.output, environment: processEnvironment())
        }
        var statistics = Pace(every: printer.isJSON ? 1 : 5, from: start)
        var input = PersonInput(signals: signals, terminal: terminal, readsKeys: printer.readsStandardInput)
        while !isOver {
            input.wait(seconds: status == nil ? min(0.5, statistics.untilNext) : 0.2, others: [events.fileDescriptor])
            takeEvents()
            if input.takeSignals(&status) { end { $0.leave() } }
            for byte in escapes.take(input.readKeys()) {
                if entry != nil {
                    type(byte)
                    continue
                }
                guard let key = KeyCommand(byte: byte) else { continue }
                // Without a terminal only q counts: text that happens to be piped in must not send digits.
                if terminal != nil || key == .quit { handle(key) }
            }
            checkDuration()
            guard !isOver else { break }
            mood.held = call.isHeld
            if statistics.isDue() && (status == nil) { showFigures() }
            drawStatus()
            if isEnding && Pace.now() - endingSince > Self.endLimitSeconds { break }
        }
        status?.clear()
        terminal?.leave()
        return finish()
    }

    /// A hang-up that the call does not confirm is carried out all the same.
    private static let endLimitSeconds = 0.5
    private var endingSince = 0.0

    private var isOver: Bool { endReasons.allSatisfy { $0 != nil } }

    private func showFigures() {
        for party in endReasons.indices where endReasons[party] == nil {
            printer.figures(call.statistics(of: party), of: party, mood, seconds: seconds)
        }
    }

    private var seconds: Double { Pace.now() - (mediaStart ?? start) }

    private mutating func takeEvents() {
        let batch = events.take()
        if batch.lost > 0 { show(.warning("\(batch.lost) events were left out: they came faster than they could be told")) }
        // A second call may have begun beside the first.
        while endReasons.count < call.parties {
            endReasons.append(nil)
            printer.addParty()
        }
        for (party, event) in batch.values.map({ ($0.party, $0.body) }) {
            if case .mediaStarted = event {
                mood.hasMedia = true
                mediaStart = Pace.now()
            }
            if case .callAnswered = event { isAnswered = true }
            if case .report(let report) = event { show(report, of: party) } else { show(event, of: party) }
        }
        for party in endReasons.indices where endReasons[party] == nil { endReasons[party] = call.endReason(of: party) }
    }

    private mutating func show(_ event: EventBody, of party: Int = 0) {
        for line in printer.lines(event, of: party) { show(line) }
    }

    /// The report of a call whose place the next caller takes.
    private mutating func show(_ report: CallReport, of party: Int) {
        for line in printer.lines(evaluated(report), of: party) { show(line) }
        printer.renew(party)
    }

    private mutating func show(_ line: String) {
        if status == nil { printer.output.line(line) } else { status?.print(line) }
    }

    private mutating func evaluated(_ report: CallReport) -> CallReport {
        var report = report
        report.assertions = assertions.map { $0.evaluate(report) }
        hasMissed = hasMissed || !report.assertions.allSatisfy(\.passed)
        return report
    }

    private mutating func handle(_ key: KeyCommand) {
        switch key {
        case .answer: call.answer()
        case .mute:
            mood.muted.toggle()
            call.setMuted(mood.muted)
        case .hold: call.setHeld(!call.isHeld)
        case .louder, .quieter:
            mood.volumeDecibels = max(-40, min(20, mood.volumeDecibels + (key == .louder ? 2 : -2)))
            call.setVolume(decibels: mood.volumeDecibels)
        case .digit(let digit):
            call.send(digit: digit)
            // By SIP nothing goes out while it only rings.
            if call.dialogs.isEmpty || mood.hasMedia || call.transferPlace != nil {
                show(.dtmf(digit: String(digit), direction: .sent))
            }
        case .transfer:
            let isOne = endReasons.count(where: { $0 == nil }) < 2
            entry = (LineEntry(isOne ? "transfer to" : "transfer to (Enter: the other call)"), key)
        case .text: entry = (LineEntry("text", isText: true), key)
        case .second: entry = (LineEntry("call"), key)
        case .other: attempt { call throws(SoftphoneError) in try call.switchCalls() }
        case .conference: attempt { call throws(SoftphoneError) in try call.join() }
        case .quit: if !call.hangUpActive() { end { $0.hangUp(byDuration: false) } }
        case .help: status?.print(KeyCommand.helpText)
        }
    }

    private mutating func type(_ byte: UInt8) {
        guard let outcome = entry?.line.take(byte), outcome != .typing, let key = entry?.key else { return }
        entry = nil
        guard case .done(let target) = outcome else { return }
        attempt { call throws(SoftphoneError) in
            switch key {
            case .transfer: try call.transfer(to: target)
            case .text where !target.isEmpty: try call.send(text: target)
            case .second where !target.isEmpty: try call.dial(target)
            default: break
            }
        }
    }

    private mutating func attempt(_ action: (any LiveCall) throws(SoftphoneError) -> Void) {
        do throws(SoftphoneError) { try action(call) } catch { show(.warning(error.description)) }
    }

    private mutating func checkDuration() {
        guard let durationSeconds, !durationCountsFromMedia || mediaStart != nil else { return }
        if Pace.now() - (durationCountsFromMedia ? mediaStart ?? start : start) >= durationSeconds {
            end { $0.hangUp(byDuration: true) }
        }
    }

    private mutating func end(_ hangUp: (any LiveCall) -> Void) {
        guard !isEnding else { return }
        isEnding = true
        endingSince = Pace.now()
        hangUp(call)
    }

    private mutating func drawStatus() {
        guard let (width, blocks) = status.map({ ($0.width, $0.blocks) }) else { return }
        if let entry {
            status?.draw(Text.suffix(entry.line.prompt, columns: width))
            return
        }
        let text = StatusText.line(seconds: seconds, call.statistics(of: shownParty), mood, width: width, blocks: blocks)
        status?.draw(text)
    }

    /// Whose figures the status line has: the first party's that is still there.
    private var shownParty: Int { endReasons.firstIndex { $0 == nil } ?? 0 }

    /// Reports and exit status: a signal before media, the call's own end, then the assertions.
    private mutating func finish() -> ExitStatus {
        let closed = call.close()
        takeEvents()
        let reports = closed.map { (party: $0.party, report: evaluated($0.report)) }
        let signal = mood.hasMedia ? nil : TerminationSignal.caught
        // Where nothing was heard in a call, its figures say why.
        if signal == nil || isAnswered { for (party, report) in reports { printer.report(report, of: party) } }
        if let signal { return ExitStatus(signal: signal) }
        // The first party that did not end well speaks for all.
        let ended = endReasons.map { $0.map { ExitStatus(callEnded: $0) } ?? .fine }
        if let failed = ended.first(where: { $0 != .fine }) { return failed }
        return hasMissed ? .assertionMissed : .fine
    }
}
