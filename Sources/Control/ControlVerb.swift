/// What can be asked of a running service from the command line: a word, and the request that it stands for.
package struct ControlVerb: Sendable {
    package let name: String
    package let method: String
    /// With names in braces, which words of the command line stand for.
    package let template: String
    /// Fields of the body that words stand for, in order, behind those of the path; one with `?` may be missing.
    let words: [String]
    /// Whether `NAME=VALUE` may follow: fields of the body, or of the query of GET.
    let takesFields: Bool
    package let help: String

    private init(
        _ name: String, _ method: String, _ template: String, words: [String] = [], fields: Bool = false, _ help: String
    ) {
        (self.name, self.method, self.template, self.words) = (name, method, template, words)
        (takesFields, self.help) = (fields, help)
    }

    /// Names of the words that follow the verb, for people.
    package var usage: String {
        let names =
            parameters.map { $0.uppercased() }
            + words.map { $0.hasSuffix("?") ? "[\($0.dropLast().uppercased())]" : $0.uppercased() }
        return ([name] + names + (takesFields ? ["[NAME=VALUE...]"] : [])).joined(separator: " ")
    }

    /// Of the path.
    var parameters: [String] {
        template.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    package static let all: [ControlVerb] = [
        ControlVerb("calls", "GET", "/v1/calls", "calls there are, and the last that are over"),
        ControlVerb("call", "GET", "/v1/calls/{id}", "one call"),
        ControlVerb(
            "dial", "POST", "/v1/calls", words: ["to"], fields: true,
            "call somebody: account=NAME audio.echo=true audio.play=FILE wait=answered"),
        ControlVerb("answer", "POST", "/v1/calls/{id}/answer", fields: true, "answer a call that rings: audio.handset=ID"),
        ControlVerb("reject", "POST", "/v1/calls/{id}/reject", "refuse a call that rings"),
        ControlVerb("hangup", "DELETE", "/v1/calls/{id}", "end a call"),
        ControlVerb("hold", "PUT", "/v1/calls/{id}/hold", "hold a call"),
        ControlVerb("resume", "DELETE", "/v1/calls/{id}/hold", "hold it no longer"),
        ControlVerb("mute", "PUT", "/v1/calls/{id}/mute", "send silence"),
        ControlVerb("unmute", "DELETE", "/v1/calls/{id}/mute", "send sound again"),
        ControlVerb("digits", "POST", "/v1/calls/{id}/dtmf", words: ["digits"], "send digits"),
        ControlVerb(
            "transfer", "POST", "/v1/calls/{id}/transfer", words: ["to?"], fields: true,
            "have the other side call somebody, or with call=ID connect it with another call"),
        ControlVerb(
            "audio", "PUT", "/v1/calls/{id}/audio", fields: true, "give a call another audio end: echo=true, play=FILE, call=ID"
        ),
        ControlVerb("record", "PUT", "/v1/calls/{id}/recording", "record a call"),
        ControlVerb("stop-record", "DELETE", "/v1/calls/{id}/recording", "record it no longer"),
        ControlVerb(
            "listener", "PUT", "/v1/calls/{id}/listener", fields: true, "have a program listen: websocket=URL track=both"),
        ControlVerb("stop-listener", "DELETE", "/v1/calls/{id}/listener", "have it listen no longer"),
        ControlVerb("stats", "GET", "/v1/calls/{id}/stats", "the figures of a call"),
        ControlVerb("delay", "GET", "/v1/calls/{id}/delay", "where its delay is"),
        ControlVerb("negotiation", "GET", "/v1/calls/{id}/negotiation", "what was offered, answered and agreed on, and why"),
        ControlVerb("sip", "GET", "/v1/calls/{id}/sip", "its messages"),
        ControlVerb("conferences", "GET", "/v1/conferences", "conferences there are"),
        ControlVerb("conference", "GET", "/v1/conferences/{id}", "one conference"),
        ControlVerb("open-conference", "POST", "/v1/conferences", fields: true, "open one: name=NAME"),
        ControlVerb("end-conference", "DELETE", "/v1/conferences/{id}", "end one, and its calls"),
        ControlVerb("handsets", "GET", "/v1/handsets", "browsers that are handsets"),
        ControlVerb("accounts", "GET", "/v1/accounts", "where each account stands"),
        ControlVerb("account", "GET", "/v1/accounts/{id}", "one account"),
        ControlVerb("refresh", "POST", "/v1/accounts/{id}/refresh", "register an account anew"),
        ControlVerb("check-account", "POST", "/v1/accounts/{id}/check", "look at its registrar, step by step"),
        ControlVerb("rules", "GET", "/v1/accounts/{id}/rules", "what becomes of its calls"),
        ControlVerb(
            "change-rules", "PUT", "/v1/accounts/{id}/rules", fields: true,
            "change that, over restarts: unanswered=forward forward_to=URI rings=3 callers=A,B"),
        ControlVerb("configured-rules", "DELETE", "/v1/accounts/{id}/rules", "as the configuration says again"),
        ControlVerb("history", "GET", "/v1/history", fields: true, "calls that were: q=TEXT since=DAY limit=N"),
        ControlVerb("past", "GET", "/v1/history/{id}", "one of them, with its report"),
        ControlVerb("recordings", "GET", "/v1/recordings", "recordings and messages there are"),
        ControlVerb("recording", "GET", "/v1/recordings/{id}", "one of them, as WAV: --out FILE"),
        ControlVerb("delete-recording", "DELETE", "/v1/recordings/{id}", "take one away"),
        ControlVerb("messages", "GET", "/v1/messages", "the last texts by SIP"),
        ControlVerb("message", "POST", "/v1/messages", words: ["to", "text"], fields: true, "send a text: account=NAME"),
        ControlVerb("webhooks", "GET", "/v1/webhooks", "how the webhooks fare"),
        ControlVerb("events", "GET", "/v1/events", "what happens, until it is interrupted"),
        ControlVerb("metrics", "GET", "/metrics", "figures for Prometheus"),
        ControlVerb("load", "GET", "/v1/load", "how it keeps up with its calls, and how many more it takes"),
        ControlVerb("check", "GET", "/v1/check", "what is wrong, and what to do"),
        ControlVerb("config", "GET", "/v1/config", "what is in force, with its sources"),
        ControlVerb("reload", "POST", "/v1/config/reload", "read the configuration again"),
        ControlVerb("drain", "POST", "/v1/drain", "end the service, once its calls are over"),
        ControlVerb("health", "GET", "/healthz", "whether it lives"),
        ControlVerb("ready", "GET", "/readyz", "whether it takes calls"),
    ]

    /// Every verb with what it does, a row each.
    package static let list = rows { help, _ in help }
    /// The same in lines that end before column 80, for `--help`.
    static let wrappedList = rows { wrapped($0, at: $1) }

    /// `help` makes of a verb's help what begins at the given column.
    private static func rows(_ help: (String, Int) -> String) -> String {
        let width = all.map { $0.usage.count }.filter { $0 <= 34 }.max() ?? 0
        return all.map { verb in
            let usage = verb.usage
            let gap =
                usage.count > width
                ? "\n      " + String(repeating: " ", count: width - 2) : String(repeating: " ", count: width - usage.count)
            return "  \(usage)\(gap)  \(help(verb.help, width + 4))"
        }.joined(separator: "\n")
    }

    /// In lines that end before column 80, each of which begins at `column`.
    private static func wrapped(_ text: String, at column: Int) -> String {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let line = lines.last, column + line.count + 1 + word.count < 80 {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: column))
    }
}
