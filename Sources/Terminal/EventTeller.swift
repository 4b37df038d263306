import Reporting

/// Tells what happens outside of calls: JSON events with `--json`, plain lines otherwise.
package struct EventTeller {
    package let isJSON: Bool
    package let output: Output

    /// Audio on standard output pushes the lines to standard error.
    package init(json: Bool, audioOnStandardOutput: Bool) {
        isJSON = json
        output = audioOnStandardOutput ? .error : .standard
        if json { output.tellLossAsEvent() }
    }

    /// The line of an event; nil when it has none in this style.
    package func line(_ type: String, _ members: [JSONMember], text: String?) -> String? {
        guard isJSON else { return text }
        let head = [JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text))]
        return JSONValue.object(head + members).text
    }

    package func tell(_ type: String, _ members: [JSONMember] = [], text: String? = nil) {
        if let line = line(type, members, text: text) { output.line(line) }
    }
}

extension Output {
    /// Lines that nobody read in time become a `warning` event of JSON.
    package func tellLossAsEvent() {
        tellLoss { Event(.warning("\($0) lines were left out: nobody read them in time")).json.text }
    }
}
