/// Something that happened in a call: one line of `--json`.
public struct Event: Sendable, Equatable {
    public var time: Timestamp
    /// The call it belongs to; `nil` for what concerns the whole program.
    public var callID: String?
    public var body: EventBody

    public init(_ body: EventBody, callID: String? = nil, time: Timestamp = .now()) {
        self.time = time
        self.callID = callID
        self.body = body
    }

    /// `type`, `time` and `call_id` first, then what the event says.
    public var json: JSONValue {
        let form = body.form
        var members = [JSONMember("type", .string(form.type)), JSONMember("time", .string(time.text))]
        if let callID { members.append(JSONMember("call_id", .string(callID))) }
        return .object(members + form.members())
    }

    /// The event as one plain line; `nil` for figures and reports, which have texts of their own.
    public var text: String? { body.form.text() }

    /// The event as plain lines, most often one; none for figures and reports.
    public var lines: [String] {
        if case .peer(let report) = body { report.lines } else { text.map { [$0] } ?? [] }
    }
}

/// Which way audio goes through a device or a digit through a call.
public enum EventDirection: String, Sendable { case capture, playback, sent, received }
