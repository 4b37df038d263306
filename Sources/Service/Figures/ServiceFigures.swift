import Media
import Reporting

/// The service's figures as Prometheus reads them: text format 0.0.4, base units, every counter there at zero.
package enum ServiceFigures {
    /// One figure: its name below `yodel_`, what it is, and what is said of it.
    package struct Family {
        enum Kind: String { case counter, gauge }

        package var name: String
        var kind: Kind
        var help: String
        var values: [(labels: [(String, String)], value: Double)]

        var text: String {
            var text = "# HELP yodel_\(name) \(help)\n# TYPE yodel_\(name) \(kind.rawValue)\n"
            for (labels, value) in values {
                let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
                let number = value.rounded() == value && abs(value) < 1e15 ? String(Int(value)) : String(value)
                text += "yodel_\(name)\(list.isEmpty ? "" : "{\(list)}") \(number)\n"
            }
            return text
        }

        private static func escaped(_ text: String) -> String {
            text.map { $0 == "\\" ? "\\\\" : $0 == "\"" ? "\\\"" : $0.isNewline ? "\\n" : String($0) }.joined()
        }
    }

    package static func families(_ service: ServiceCore) -> [Family] {
        let records = service.calls.records
        let accounts = service.accounts.all
        let states: [CallRecord.State] = [.calling, .ringing, .active, .held]
        return [
            Family(
                name: "calls", kind: .gauge, help: "Calls there are, by direction and state.",
                values: CallRecord.Direction.allCases.flatMap { direction in
                    states.map { state in
                        let count = records.count { $0.direction == direction && $0.state == state }
                        return ([("direction", direction.rawValue), ("state", state.rawValue)], Double(count))
                    }
                }),
            Family(
                name: "calls_total", kind: .counter, help: "Calls since the start, by direction.",
                values: CallRecord.Direction.allCases.map {
                    ([("direction", $0.rawValue)], Double(service.calls.counters.began($0)))
                }),
            Family(
                name: "call_ends_total", kind: .counter, help: "Calls that ended since the start, by the reason.",
                values: Media.EndReason.allCases.map {
                    ([("reason", $0.rawValue)], Double(service.calls.counters.ended($0)))
                }),
            Family(
                name: "accounts", kind: .gauge, help: "Accounts by their state at the registrar.",
                values: AccountBook.states.map { state in
                    ([("state", state)], Double(accounts.count { $0.state == state }))
                }),
            Family(
                name: "account_registered", kind: .gauge, help: "1 where the account is registered, else 0.",
                values: accounts.map { ([("account", $0.name)], $0.state == "registered" ? 1 : 0) }),
            Family(
                name: "event_subscribers", kind: .gauge, help: "Streams of events that are open.",
                values: [([], Double(service.subscribers))]),
            Family(
                name: "events_total", kind: .counter, help: "Events told since the start.",
                values: [([], Double(service.spool.published))]),
            Family(
                name: "event_losses_total", kind: .counter,
                help: "Events that subscribers lost because they read too slowly or came back too late.",
                values: [([], Double(service.spool.lostTotal))]),
            Family(
                name: "draining", kind: .gauge, help: "1 while the service ends and takes no new calls, else 0.",
                values: [([], service.calls.isDraining ? 1 : 0)]),
            Family(
                name: "start_time_seconds", kind: .gauge, help: "When the service started, in seconds since 1970.",
                values: [([], Double(service.started.millisecondsSince1970) / 1000)]),
        ]
    }

    package static func text(_ service: ServiceCore) -> String { families(service).map(\.text).joined() }
}
