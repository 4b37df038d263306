import Realtime
import Reporting

/// Where each account stands at its registrar. Any thread may call any function.
package final class AccountBook: Sendable {
    package struct Record: Sendable {
        package let name: String
        package let uri: String
        /// Unset until the registrar has answered.
        var report: RegistrationReport?
        var since = Timestamp.now()
        /// Voice messages at its server, as that has told last.
        var messages: WaitingMessages?

        /// `registering` until the registrar has answered, then as the event says.
        package var state: String { report?.state ?? "registering" }

        package var json: JSONValue {
            [
                JSONMember("name", .string(name)), JSONMember("uri", .string(uri)), JSONMember("state", .string(state)),
                JSONMember("since", .string(since.text)), JSONMember("reason", .string(report?.reason ?? "")),
                JSONMember("remedy", report?.remedy.map { .string($0) } ?? .null),
                JSONMember("sip_code", report?.sipCode.map { .integer($0) } ?? .null),
                JSONMember("expires_s", report?.expiresSeconds.map { .number($0, decimals: 0) } ?? .null),
                JSONMember("retry_s", report?.retrySeconds.map { .number($0, decimals: 0) } ?? .null),
                JSONMember("messages_waiting", messages.map { .boolean($0.isWaiting) } ?? .null),
                JSONMember("messages_new", messages?.new.map { .integer($0) } ?? .null),
                JSONMember("messages_old", messages?.old.map { .integer($0) } ?? .null),
            ].object
        }
    }

    package static let states = ["registering", "registered", "failed", "unregistered"]

    private let records: Lock<[Record]>
    /// How often each state was told.
    private let told = Lock<[String: Int]>([:])
    private let spool: EventSpool

    package init(_ accounts: [(name: String, uri: String)], spool: EventSpool) {
        records = Lock(accounts.map { Record(name: $0.name, uri: $0.uri) })
        self.spool = spool
    }

    /// Takes note of a change, and tells it.
    package func take(_ report: RegistrationReport) {
        let record = records.withLock { records -> Record? in
            guard let index = records.firstIndex(where: { $0.name == report.account }) else { return nil }
            if records[index].report?.state != report.state { records[index].since = .now() }
            records[index].report = report
            return records[index]
        }
        told.withLock { $0[report.state, default: 0] += 1 }
        let body = EventBody.registration(report)
        guard let record, case .object(let members) = Event(body).json else { return }
        // `account` is the name already, as in every event of the kind.
        spool.publish(type: body.type, .object(members + [JSONMember("registration", record.json)]))
    }

    /// Takes note of what an account's server says of voice messages, and tells it.
    package func take(_ messages: WaitingMessages, of account: String) {
        let record = records.withLock { records -> Record? in
            guard let index = records.firstIndex(where: { $0.name == account }) else { return nil }
            records[index].messages = messages
            return records[index]
        }
        let body = EventBody.messagesWaiting(
            account: account, isWaiting: messages.isWaiting, new: messages.new, old: messages.old)
        guard let record, case .object(let members) = Event(body).json else { return }
        spool.publish(type: body.type, .object(members + [JSONMember("registration", record.json)]))
    }

    /// Takes other accounts from now on.
    /// - Parameter renewed: those that register anew.
    package func change(_ accounts: [(name: String, uri: String)], renewed: [String]) {
        records.withLock { records in
            records = accounts.map { account in
                if !renewed.contains(account.name),
                    let known = records.first(where: { $0.name == account.name && $0.uri == account.uri })
                {
                    return known
                }
                return Record(name: account.name, uri: account.uri)
            }
        }
    }

    package var all: [Record] { records.withLock { $0 } }

    /// How often that state was told since the start.
    func told(_ state: String) -> Int { told.withLock { $0[state] ?? 0 } }

    package func has(_ name: String) -> Bool { all.contains { $0.name == name } }
}

/// Whether voice messages wait at an account's server, and how many; `nil`: it does not count them.
package struct WaitingMessages: Sendable, Equatable {
    package var isWaiting: Bool
    package var new: Int?
    package var old: Int?

    package init(isWaiting: Bool, new: Int? = nil, old: Int? = nil) {
        (self.isWaiting, self.new, self.old) = (isWaiting, new, old)
    }
}

extension [JSONMember] {
    var object: JSONValue { .object(self) }
}
