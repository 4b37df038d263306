import Realtime
import Reporting

/// The last texts by SIP, both ways. Any thread may call any function.
package final class MessageBook: Sendable {
    package enum State: String, Sendable { case received, sending, delivered, failed }

    private struct Message {
        let id: String
        let number: UInt64?
        let time = Timestamp.now()
        var account: String?
        let from: String?
        let name: String?
        let to: String
        let text: String
        var state: State
        var sipCode: Int?
        var reason: String?
    }

    /// Texts that are kept.
    package static let limit = 500
    /// Outcomes that wait for their texts: requests that are answered at this moment.
    private static let earlyLimit = 64

    /// Outcomes may be told before the text is kept.
    private typealias Outcome = (sipCode: Int?, reason: String)
    private let state = Lock<(messages: [Message], last: Int, early: [UInt64: Outcome])>(([], 0, [:]))
    private let spool: EventSpool

    init(_ spool: EventSpool) { self.spool = spool }

    /// Somebody sent a text; the event is told by whoever calls.
    func received(from: String, name: String?, to: String, text: String) {
        state.withLock { state in
            state.last += 1
            Self.keep(
                Message(
                    id: "\(spool.epoch)-t\(state.last)", number: nil, from: from, name: name, to: to, text: text,
                    state: .received), in: &state.messages)
        }
    }

    /// A text is on its way.
    /// - Parameter number: by which its outcome is told.
    package func sent(_ number: UInt64, to: String, account: String?, text: String) -> JSONValue {
        let (json, isOver) = state.withLock { state -> (JSONValue, Bool) in
            state.last += 1
            var message = Message(
                id: "\(spool.epoch)-t\(state.last)", number: number, from: nil, name: nil, to: to, text: text, state: .sending)
            message.account = account
            let outcome = state.early.removeValue(forKey: number)
            if let outcome { Self.settle(&message, outcome) }
            Self.keep(message, in: &state.messages)
            return (Self.json(message), outcome != nil)
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
            Self.settle(&state.messages[index], (sipCode, reason))
            return Self.json(state.messages[index])
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

    private static func settle(_ message: inout Message, _ outcome: Outcome) {
        message.state = outcome.sipCode.map { (200..<300).contains($0) } == true ? .delivered : .failed
        (message.sipCode, message.reason) = (outcome.sipCode, outcome.reason)
    }

    /// Oldest first.
    var json: JSONValue { .array(state.withLock { $0.messages.map(Self.json) }) }

    private static func keep(_ message: Message, in messages: inout [Message]) {
        messages.append(message)
        if messages.count > limit { messages.removeFirst(messages.count - limit) }
    }

    private static func json(_ message: Message) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return .object([
            JSONMember("id", .string(message.id)), JSONMember("time", .string(message.time.text)),
            JSONMember("state", .string(message.state.rawValue)), JSONMember("account", text(message.account)),
            JSONMember("from", text(message.from)), JSONMember("name", text(message.name)),
            JSONMember("to", .string(message.to)), JSONMember("text", .string(message.text)),
            JSONMember("sip_code", message.sipCode.map { .integer($0) } ?? .null), JSONMember("reason", text(message.reason)),
        ])
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
