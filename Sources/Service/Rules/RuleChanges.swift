import Reporting
import Settings
import Signalling

/// What requests have changed of an account's rules; what is `nil` is as the configuration says.
package struct RuleChanges: Sendable, Equatable {
    package var unanswered: AccountUnanswered?
    package var rings: Int?
    /// A file in `softphone.folder`.
    package var announcement: String?
    package var forwardTo: String?
    package var messageSeconds: Int?
    package var callers: [String]?
    package var handsets: [String]?

    package init() {}

    package static let fields = [
        "unanswered", "rings", "announcement", "forward_to", "message_seconds", "callers", "handsets",
    ]

    /// Of a request. Each is right by itself; whether they go together `check` says.
    init(_ fields: BodyFields) throws(Problem) {
        if let text = try fields.text("unanswered") {
            guard let chosen = AccountUnanswered(rawValue: text) else {
                let names = AccountUnanswered.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badField("unanswered", "'\(text.prefix(80))' is none of \(names)")
            }
            unanswered = chosen
        }
        rings = try Self.number("rings", 0...20, fields)
        messageSeconds = try Self.number("message_seconds", 5...3600, fields)
        announcement = try fields.text("announcement")
        forwardTo = try fields.text("forward_to")
        if let forwardTo, let problem = CallTarget.problem(with: forwardTo, hasAccount: true) {
            throw .badField("forward_to", "\(problem), in '\(forwardTo.prefix(200))'; write sip:USER@HOST, or tel:")
        }
        (callers, handsets) = (try fields.texts("callers"), try fields.texts("handsets"))
    }

    private static func number(
        _ name: String, _ range: ClosedRange<Int>, _ fields: BodyFields
    ) throws(Problem) -> Int? {
        guard let number = try fields.number(name) else { return nil }
        guard range.contains(number) else {
            throw .badField(name, "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// As they were kept; what makes no sense any more is left out.
    init?(kept text: String) {
        let request = APIRequest("PUT", "/", headers: ["content-type": "application/json"], body: Array(text.utf8))
        do throws(Problem) { try self.init(BodyFields(request, known: Self.fields)) } catch { return nil }
    }

    /// What was changed, by its names.
    package var members: [JSONMember] {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        let all: [JSONMember?] = [
            unanswered.map { JSONMember("unanswered", .string($0.rawValue)) },
            rings.map { JSONMember("rings", .integer($0)) },
            announcement.map { JSONMember("announcement", .string($0)) },
            forwardTo.map { JSONMember("forward_to", .string($0)) },
            messageSeconds.map { JSONMember("message_seconds", .integer($0)) },
            callers.map { JSONMember("callers", list($0)) }, handsets.map { JSONMember("handsets", list($0)) },
        ]
        return all.compactMap(\.self)
    }

    /// The rules with these changes. An announcement that is there no more stays as the configuration says.
    func applied(to base: AccountRules, ends: AudioEnds) -> AccountRules {
        var rules = base
        rules.unanswered = unanswered ?? base.unanswered
        rules.rings = rings ?? base.rings
        rules.forwardTo = forwardTo ?? base.forwardTo
        rules.messageSeconds = messageSeconds ?? base.messageSeconds
        rules.callers = callers ?? base.callers
        rules.handsets = handsets ?? base.handsets
        if let announcement, case .play(_, let path, _)? = try? ends.play(announcement) {
            (rules.announcement, rules.announcementName) = (path, announcement)
        }
        return rules
    }

    /// Whether the rules with these changes can be followed.
    func check(on base: AccountRules, ends: AudioEnds, takesMessages: Bool) throws(Problem) {
        if let announcement {
            do throws(Problem) { _ = try ends.play(announcement) } catch { throw .badField("announcement", error.detail) }
        }
        let rules = applied(to: base, ends: ends)
        switch rules.unanswered {
        case .forward where rules.forwardTo == nil:
            throw .badField("forward_to", "calls are forwarded to nobody; write {\"forward_to\": \"sip:USER@HOST\"}")
        case .announce where rules.announcement == nil:
            throw .badField("announcement", "there is nothing to announce; write {\"announcement\": FILE}, in softphone.folder")
        case .message where !takesMessages:
            throw .badField("unanswered", "there is no folder for messages; set softphone.recordings")
        default: break
        }
    }

    /// The changes whose ground has changed: the configuration says something else of them now.
    func conflicts(_ old: AccountRules, _ new: AccountRules) -> [String] {
        let (old, new) = (RuleChanges(all: old), RuleChanges(all: new))
        func named(_ changes: RuleChanges) -> [String: JSONValue] {
            Dictionary(changes.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        let (former, later) = (named(old), named(new))
        return members.map(\.name).filter { former[$0] != later[$0] }
    }

    private init(all rules: AccountRules) {
        (unanswered, rings, announcement) = (rules.unanswered, rules.rings, rules.announcementName)
        (forwardTo, messageSeconds) = (rules.forwardTo, rules.messageSeconds)
        (callers, handsets) = (rules.callers, rules.handsets)
    }
}

extension AccountRules {
    /// - Parameter changes: what requests have changed of them.
    func json(_ changes: RuleChanges) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return .object([
            JSONMember("unanswered", .string(unanswered.rawValue)), JSONMember("rings", .integer(rings)),
            JSONMember("announcement", text(announcementName)), JSONMember("forward_to", text(forwardTo)),
            JSONMember("message_seconds", .integer(messageSeconds)),
            JSONMember("callers", .array(callers.map { .string($0) })),
            JSONMember("handsets", .array(handsets.map { .string($0) })),
            JSONMember("changed", .array(changes.members.map { .string($0.name) })),
        ])
    }
}
