import AudioDevices
import Metrics
import Reporting
import Terminal

/// Prints events, figures and reports as the person asked: JSON or plain lines.
struct EventPrinter {
    let isJSON: Bool
    let output: Output
    /// Names each party's call in its events.
    private(set) var callIDs: [String]
    /// Whether standard input is free for keys.
    let readsStandardInput: Bool

    /// Audio on standard output pushes the lines to standard error.
    /// - `parties`: calls whose events are printed.
    init(json: Bool, parties: Int = 0, input: DeviceSpecification, output: DeviceSpecification) {
        isJSON = json
        callIDs = (0..<parties).map { _ in Self.newCallID() }
        self.output = output == .pipe ? .error : .standard
        readsStandardInput = input != .pipe
        if json { self.output.tellLossAsEvent() }
    }

    /// Whether a person sits in front.
    var isForPerson: Bool { !isJSON && readsStandardInput }

    /// The line of a party's event; `nil` when it has none in this style.
    func line(_ body: EventBody, of party: Int) -> String? {
        let event = Event(body, callID: callIDs[party])
        return isJSON ? event.json.text : event.text.map { mark(party) + $0 }
    }

    /// Tells the parties of a conference apart in plain lines.
    private func mark(_ party: Int) -> String { callIDs.count > 1 ? "\(party + 1): " : "" }

    func show(_ event: Event) {
        if let line = isJSON ? event.json.text : event.text { output.line(line) }
    }

    func figures(_ statistics: CallStatistics, of party: Int, _ mood: CallMood, seconds: Double) {
        if isJSON {
            show(Event(.stats(statistics), callID: callIDs[party]))
        } else {
            output.line(mark(party) + StatusText.logLine(seconds: seconds, statistics, mood))
        }
    }

    func report(_ report: CallReport, of party: Int) {
        for line in lines(report, of: party) { output.line(line) }
    }

    func lines(_ report: CallReport, of party: Int) -> [String] {
        if isJSON { return [Event(.report(report), callID: callIDs[party]).json.text] }
        return (callIDs.count > 1 ? ["party \(party + 1)"] : []) + ReportText.lines(report)
    }

    /// Another call beside those there are.
    mutating func addParty() { callIDs.append(Self.newCallID()) }

    /// The next caller in a party's place is another call.
    mutating func renew(_ party: Int) { callIDs[party] = Self.newCallID() }

    /// A name for a call in its events.
    private static func newCallID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    func report(_ report: LoopbackReport) {
        if isJSON {
            show(Event(.loopbackReport(report)))
        } else {
            for line in ReportText.lines(report) { output.line(line) }
        }
    }
}
