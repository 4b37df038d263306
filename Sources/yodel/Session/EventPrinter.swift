import AudioDevices
import Metrics
import Reporting

/// Prints events, figures and reports as the person asked: JSON or plain lines.
struct EventPrinter {
    let isJSON: Bool
    let output: Output
    /// Names each party's call in its events.
    let callIDs: [String]
    /// Whether standard input is free for keys.
    let readsStandardInput: Bool

    /// Audio on standard output pushes the lines to standard error.
    init(json: Bool, callIDs: [String] = [], input: DeviceSpecification, output: DeviceSpecification) {
        isJSON = json
        self.callIDs = callIDs
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
        if isJSON {
            show(Event(.report(report), callID: callIDs[party]))
        } else {
            if callIDs.count > 1 { output.line("party \(party + 1)") }
            for line in ReportText.lines(report) { output.line(line) }
        }
    }

    func report(_ report: LoopbackReport) {
        if isJSON {
            show(Event(.loopbackReport(report)))
        } else {
            for line in ReportText.lines(report) { output.line(line) }
        }
    }
}
