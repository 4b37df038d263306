import Reporting
import Softphone

/// The routes that tell how a call went: its delay, what was agreed on, and its messages by SIP.
enum InsightRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/calls/{id}/delay") { (service, request) throws(Problem) in
            .json(delay(try service.calls.statistics(request.parameters["id"] ?? "")))
        },
        Route("GET", "/v1/calls/{id}/negotiation") { (service, request) throws(Problem) in
            let id = request.parameters["id"] ?? ""
            guard let record = service.calls.record(id) else { throw .noCall(id) }
            return .json(
                [
                    JSONMember("call_id", .string(id)), JSONMember("negotiation", record.negotiation?.json ?? .null),
                ].object)
        },
        Route("GET", "/v1/calls/{id}/sip") { (service, request) throws(Problem) in
            let id = request.parameters["id"] ?? ""
            let dialogs = try service.calls.dialogs(of: id)
            return .json(
                [
                    JSONMember("call_id", .string(id)), JSONMember("dialogs", .array(dialogs.map { .string($0) })),
                    JSONMember("messages", .array(service.ladder(dialogs).map(step))),
                ].object)
        },
    ]

    /// The delay ledger out of a call's figures, and which stages nobody knows.
    private static func delay(_ statistics: JSONValue) -> JSONValue {
        func value(_ name: String) -> JSONValue { statistics.value(at: name) ?? .null }
        let unknown = DelayStage.allCases.map(\.rawValue).filter { value("ledger_ms.\($0)") == .null }
        return .object([
            JSONMember("call_id", value("call_id")), JSONMember("state", value("state")), JSONMember("time", value("time")),
            JSONMember("mouth_to_ear_ms", value("mouth_to_ear_ms")),
            JSONMember("stages_ms", value("ledger_ms")), JSONMember("unknown", .array(unknown.map { .string($0) })),
        ])
    }

    static func step(_ step: SIPLadder.Step) -> JSONValue {
        let text = step.text
        return .object([
            JSONMember("time", .string(step.time.text)), JSONMember("direction", .string(step.direction)),
            JSONMember("transport", .string(step.transport)), JSONMember("remote", .string(step.remote)),
            JSONMember("start", .string(String(text.prefix { $0 != "\n" }))), JSONMember("text", .string(text)),
        ])
    }
}
