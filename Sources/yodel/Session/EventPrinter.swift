import AudioDevices
import Reporting

/// Prints events, figures and reports as the person asked: JSON or plain lines.
struct EventPrinter {
    let isJSON: Bool
    let output: Output
    /// Names the call in its events.
    let callID: String?
    /// Whether standard input is free for keys.
    let readsStandardInput: Bool

    /// Audio on standard output pushes the lines to standard error.
    init(json: Bool, callID: String?, input: DeviceSpecification, output: DeviceSpecification) {
        isJSON = json
        self.callID = callID
        self.output = output == .pipe ? .error : .standard
        readsStandardInput = input != .pipe
    }

    /// Whether a person sits in front.
    var isForPerson: Bool { !isJSON && readsStandardInput }

    /// The line of an event; `nil` when it has none in this style.
    func line(_ body: EventBody) -> String? {
        let event = Event(body, callID: callID)
        return isJSON ? event.json.text : event.text
    }

    func show(_ event: Event) {
        if let line = isJSON ? event.json.text : event.text { output.line(line) }
    }

    func figures(_ statistics: CallStatistics, _ mood: CallMood, seconds: Double) {
        if isJSON {
            show(Event(.stats(statistics), callID: callID))
        } else {
            output.line(StatusText.logLine(seconds: seconds, statistics, mood))
        }
    }

    func report(_ report: CallReport) {
        if isJSON {
            show(Event(.report(report), callID: callID))
        } else {
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
