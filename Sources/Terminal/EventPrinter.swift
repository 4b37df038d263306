import AudioDevices
import Metrics
import Reporting

/// Prints events, figures and reports as the person asked: JSON or plain lines.
package struct EventPrinter {
    package let isJSON: Bool
    package let output: Output
    /// Names each party's call in its events.
    private(set) var callIDs: [String]
    /// Whether standard input is free for keys.
    package let readsStandardInput: Bool

    /// Audio on standard output pushes the lines to standard error.
    /// - Parameter parties: calls whose events are printed.
    package init(json: Bool, parties: Int = 0, input: DeviceSpecification, output: DeviceSpecification) {
        isJSON = json
        callIDs = (0..<parties).map { _ in Self.newCallID() }
        self.output = output == .pipe ? .error : .standard
        readsStandardInput = input != .pipe
        if json { self.output.tellLossAsEvent() }
    }

    /// Whether a person sits in front.
    package var isForPerson: Bool { !isJSON && readsStandardInput }

    /// The lines of a party's event; none when it has none in this style.
    package func lines(_ body: EventBody, of party: Int) -> [String] {
        let event = Event(body, callID: callIDs[party])
        return isJSON ? [event.json.text] : event.lines.map { mark(party) + $0 }
    }

    /// Tells the parties of a conference apart in plain lines.
    private func mark(_ party: Int) -> String { callIDs.count > 1 ? "\(party + 1): " : "" }

    package func show(_ event: Event) {
        for line in isJSON ? [event.json.text] : event.lines { output.line(line) }
    }

    package func figures(_ statistics: CallStatistics, of party: Int, _ mood: CallMood, seconds: Double) {
        if isJSON {
            show(Event(.stats(statistics), callID: callIDs[party]))
        } else {
            output.line(mark(party) + StatusText.logLine(seconds: seconds, statistics, mood))
        }
    }

    package func report(_ report: CallReport, of party: Int) {
        for line in lines(report, of: party) { output.line(line) }
    }

    package func lines(_ report: CallReport, of party: Int) -> [String] {
        if isJSON { return [Event(.report(report), callID: callIDs[party]).json.text] }
        return (callIDs.count > 1 ? ["party \(party + 1)"] : []) + ReportText.lines(report)
    }

    /// Another call beside those there are.
    package mutating func addParty() { callIDs.append(Self.newCallID()) }

    /// The next caller in a party's place is another call.
    package mutating func renew(_ party: Int) { callIDs[party] = Self.newCallID() }

    /// A name for a call in its events.
    private static func newCallID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    package func report(_ report: LoopbackReport) {
        if isJSON {
            show(Event(.loopbackReport(report)))
        } else {
            for line in ReportText.lines(report) { output.line(line) }
        }
    }
}
