import History
import Realtime
import Reporting

/// The last texts by SIP, both ways; where a history is kept those of before the start too. Any thread may call any function.
package final class MessageBook: Sendable {
    package enum State: String, Sendable { case received, sending, delivered, failed }

    private struct Message {
        var entry: TextEntry
        /// By which its outcome is told; `nil`: it came.
        let number: UInt64?
    }

    /// Texts that are kept.
    package static let limit = 500
    /// Outcomes that wait for their texts: requests that are answered at this moment.
    private static let earlyLimit = 64

    /// Outcomes may be told before the text is kept.
    private typealias Outcome = (sipCode: Int?, reason: String)
    private let state = Lock<(messages: [Message], last: Int, early: [UInt64: Outcome])>(([], 0, [:]))
    private let spool: EventSpool
    private let history: CallHistory?

    /// - Parameters:
    ///   - spool: is told the outcomes.
    ///   - history: keeps the texts; `nil`: they are gone with the process.
    init(_ spool: EventSpool, _ history: CallHistory?) { (self.spool, self.history) = (spool, history) }

    /// Somebody sent a text; the event is told by whoever calls.
    /// - Returns: the text as it is kept.
    @discardableResult
    package func received(from: String, name: String?, to: String, text: String) -> JSONValue {
        state.withLock { state in
            var entry = next(&state.last, .received, to: to, text: text)
            (entry.sender, entry.name) = (from, name)
            keep(Message(entry: entry, number: nil), in: &state.messages)
            return entry.json
        }
    }

    /// A text is on its way.
    /// - Parameter number: by which its outcome is told.
    package func sent(_ number: UInt64, to: String, account: String?, text: String) -> JSONValue {
        let (json, isOver) = state.withLock { state -> (JSONValue, Bool) in
            var entry = next(&state.last, .sending, to: to, text: text)
            entry.account = account
            let outcome = state.early.removeValue(forKey: number)
            if let outcome { Self.settle(&entry, outcome) }
            keep(Message(entry: entry, number: number), in: &state.messages)
            return (entry.json, outcome != nil)
        }
        if isOver { tellOutcome(json) }
        return json
    }

    /// What became of a text.
    package func answered(_ number: UInt64, sipCode: Int?, reason: String) {
        let json = state.withLock { state -> JSONValue? in
            guard let index = state.messages.lastIndex(where: { $0.number == number }) else {
                // What is too old to be kept has its outcome here as well: the oldest goes.
                if state.early.count >= Self.earlyLimit, let oldest = state.early.keys.min() { state.early[oldest] = nil }
                state.early[number] = (sipCode, reason)
                return nil
            }
            Self.settle(&state.messages[index].entry, (sipCode, reason))
            history?.note(state.messages[index].entry)
            return state.messages[index].entry.json
        }
        if let json { tellOutcome(json) }
    }

    private func tellOutcome(_ json: JSONValue) {
        spool.publish(
            type: "message_sent",
            [
                JSONMember("type", .string("message_sent")), JSONMember("time", .string(Timestamp.now().text)),
                JSONMember("message", json),
            ].object)
    }

    private static func settle(_ entry: inout TextEntry, _ outcome: Outcome) {
        let state: State = outcome.sipCode.map { (200..<300).contains($0) } == true ? .delivered : .failed
        (entry.state, entry.sipCode, entry.reason) = (state.rawValue, outcome.sipCode, outcome.reason)
    }

    /// Oldest first. It may read from the disk.
    var json: JSONValue {
        let own = state.withLock { $0.messages.map(\.entry) }
        let known = Set(own.map(\.id))
        let kept = (try? history?.reader().texts(Self.limit)) ?? []
        return .array((kept.filter { !known.contains($0.id) } + own).suffix(Self.limit).map(\.json))
    }

    private func next(_ last: inout Int, _ state: State, to: String, text: String) -> TextEntry {
        last += 1
        return TextEntry(id: "\(spool.epoch)-t\(last)", time: .now(), state: state.rawValue, to: to, text: text)
    }

    private func keep(_ message: Message, in messages: inout [Message]) {
        history?.note(message.entry)
        messages.append(message)
        if messages.count > Self.limit { messages.removeFirst(messages.count - Self.limit) }
    }
}

/// The routes of texts by SIP.
enum MessageRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/messages") { service, _ in .json([JSONMember("messages", service.messages.json)].object) },
        Route("POST", "/v1/messages") { (service, request) throws(Problem) in
            let fields = try BodyFields(request, known: ["to", "account", "text"])
            guard let to = try fields.text("to") else {
                throw .badField("to", "who gets the text is missing; write {\"to\": \"sip:USER@HOST\", \"text\": \"...\"}")
            }
            // RFC 3428 section 8: more does not fit into one datagram.
            guard let text = try fields.lines("text", limit: 1000), !text.isEmpty else {
                throw .badField("text", "the text is missing; write {\"text\": \"...\"}")
            }
            let account = try CallRoutes.chooseAccount(service, try fields.text("account"))
            guard !service.calls.isDraining else { throw .draining(seconds: 1) }
            return .json(try service.send(text, to: to, account: account), status: 202)
        },
    ]
}
