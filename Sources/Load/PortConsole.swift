import LiveMedia
import Media
import Metrics
import Reporting
import Softphone
import Terminal

/// Carries a port of many calls from its opening to its end: events and a report of each call, figures of all.
public struct PortConsole {
    private let port: PartyPort
    private let isJSON: Bool
    private let output = Output.standard
    private let signals: TerminationSignal
    private let assertions: [Assertion]
    private let durationSeconds: Double?
    private var hasMissed = false
    private var mediaStart: Double?
    /// Names the calls that run.
    private var callIDs: [Int: String] = [:]

    /// - Parameters:
    ///   - assertions: judged on each call's report.
    ///   - durationSeconds: from the first call on; `nil`: until somebody ends it.
    package init(
        _ port: PartyPort, json: Bool, signals: TerminationSignal, assertions: [Assertion], durationSeconds: Double?
    ) {
        self.port = port
        isJSON = json
        self.signals = signals
        self.assertions = assertions
        self.durationSeconds = durationSeconds
        if json { output.tellLossAsEvent() }
    }

    /// Runs until q, a signal or the duration ends it; then hangs up on everybody and tells their reports.
    public mutating func run() -> LoadOutcome {
        let terminal = isJSON ? nil : TerminalMode()
        show(.callStarted(remote: nil, local: port.local, codec: port.codec, device: "none"), of: nil)
        var input = PersonInput(signals: signals, terminal: terminal, readsKeys: true)
        var status: StatusLine?
        var pace = Pace(every: isJSON ? 1 : 10, from: Pace.now())
        while true {
            input.wait(seconds: min(0.5, pace.untilNext), others: [port.eventDescriptor])
            takeNews()
            let asksForEnd = input.takeSignals(&status)
            if MediaKey.parse(input.readKeys()).contains(.quit) || asksForEnd {
                port.close(byDuration: false)
                break
            }
            if let durationSeconds, let mediaStart, Pace.now() - mediaStart >= durationSeconds {
                port.close(byDuration: true)
                break
            }
            if pace.isDue() { showFigures() }
        }
        terminal?.leave()
        takeNews()
        showFigures()
        if let number = TerminationSignal.caught, mediaStart == nil { return .signal(number) }
        return hasMissed ? .assertionMissed : .fine
    }

    private mutating func takeNews() {
        for news in port.takeNews() {
            if case .mediaStarted = news.body { mediaStart = mediaStart ?? Pace.now() }
            show(news.body, of: news.call)
        }
        for warning in port.takeFileWarnings() { show(.warning(warning), of: nil) }
    }

    private mutating func show(_ body: EventBody, of call: Int?) {
        guard case .report(var report) = body, let call else {
            let event = Event(body, callID: call.map { name(of: $0) })
            if let line = isJSON ? event.json.text : event.text.map({ mark(call) + $0 }) { output.line(line) }
            return
        }
        report.assertions = assertions.map { $0.evaluate(report) }
        hasMissed = hasMissed || !report.assertions.allSatisfy(\.passed)
        if isJSON {
            output.line(Event(.report(report), callID: name(of: call)).json.text)
        } else {
            for line in ReportText.lines(report) { output.line(mark(call) + line) }
        }
        callIDs[call] = nil
    }

    private func mark(_ call: Int?) -> String { call.map { "\($0 + 1): " } ?? "" }

    private mutating func name(of call: Int) -> String {
        if let name = callIDs[call] { return name }
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        callIDs[call] = name
        return name
    }

    /// How all calls together fare.
    private func showFigures() {
        let figures = port.figures
        guard isJSON else {
            guard figures.callsInAll > 0 else { return }
            let late = figures.loop.lateness99.map { ", turns up to \(Text.fixed($0, 1)) ms late" } ?? ""
            let refused = figures.refusals.callers
            output.line(
                "\(figures.calls) calls, \(figures.callsInAll) in all"
                    + (refused > 0 ? ", \(refused) turned away" : "")
                    + ", \(Text.fixed(figures.processorShare * 100, 0)) % of a core\(late)")
            return
        }
        output.line(Event.portStatistics(figures).text)
    }
}

extension Event {
    /// One line of `port_stats`.
    fileprivate static func portStatistics(_ figures: PortFigures) -> JSONValue {
        func number(_ value: Double?, _ decimals: Int) -> JSONValue { value.map { .number($0, decimals: decimals) } ?? .null }
        return .object([
            JSONMember("type", .string("port_stats")), JSONMember("time", .string(Timestamp.now().text)),
            JSONMember("calls", .integer(figures.calls)), JSONMember("calls_in_all", .integer(figures.callsInAll)),
            JSONMember("admits", .boolean(figures.loop.admits)), JSONMember("relief", .string(figures.loop.relief.name)),
            JSONMember("complexity", .integer(figures.complexity)),
            JSONMember("pinned_threads", .integer(figures.pinnedThreads)),
            JSONMember(
                "refused",
                .object(figures.refusals.table.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer($0.value)) })),
            JSONMember("turn_late_p50_ms", number(figures.loop.latenessMedian, 2)),
            JSONMember("turn_late_p99_ms", number(figures.loop.lateness99, 2)),
            JSONMember("turn_late_max_ms", number(figures.loop.latenessMaximum, 2)),
            JSONMember("turns_left_out", .integer(figures.turnsLeftOut)),
            JSONMember("load", .number(figures.loop.load, decimals: 4)),
            JSONMember("processor_share", .number(figures.processorShare, decimals: 4)),
            JSONMember(
                "stages",
                .object(PortStage.allCases.map { JSONMember($0.name, .number(figures.stages[$0] ?? 0, decimals: 4)) })),
            JSONMember("packets_received", .integer(figures.packetsReceived)),
            JSONMember("packets_sent", .integer(figures.packetsSent)),
            JSONMember("send_failures", .integer(figures.sendFailures)),
            JSONMember("kernel_drops", .integer(figures.kernelDrops)),
        ])
    }
}
