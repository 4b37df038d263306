import AudioSession
import Reporting

/// How what happens to ports is told, outside of calls.
extension SessionEvent {
    private static func event(_ type: String, _ members: [JSONMember]) -> JSONValue {
        .object([JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text))] + members)
    }

    private static func members(_ port: AudioPort) -> [JSONMember] {
        [
            JSONMember("id", .string(port.id)), JSONMember("name", .string(port.name)),
            JSONMember("kind", .string(port.kind.rawValue)), JSONMember("direction", .string(port.direction.rawValue)),
            JSONMember("channels", .integer(port.channels)),
            JSONMember("rate_hz", port.sampleRate.map { .integer($0) } ?? .null),
        ]
    }

    /// The event as JSON: for a change of the route one event a direction.
    package var json: [JSONValue] {
        switch self {
        case .portAdded(let port): [Self.event("port_added", Self.members(port))]
        case .portRemoved(let port): [Self.event("port_removed", Self.members(port))]
        case .portChanged(let port): [Self.event("port_changed", Self.members(port))]
        case .outputSilent(let silence, let port):
            [Self.event("output_silent", Self.members(port) + [JSONMember("reason", .string(silence.rawValue))])]
        case .outputAudible(let port): [Self.event("output_audible", Self.members(port))]
        case .serverLost(let reason): [Self.event("server_lost", [JSONMember("reason", .string(reason))])]
        case .serverBack: [Self.event("server_back", [])]
        case .routeChanged, .interruptionBegan, .interruptionEnded: EventBody.of(self).map { Event($0).json }
        }
    }

    /// The event in plain lines.
    package var text: [String] {
        func say(_ what: String, _ port: AudioPort) -> [String] {
            let kind = port.kind.rawValue.split(separator: "_").joined(separator: " ")
            let rate = port.sampleRate.map { ", \($0) Hz" } ?? ""
            return ["\(what) \(port.direction.rawValue) \(port.id)  (\(port.name)): \(kind), \(port.channels) ch\(rate)"]
        }
        switch self {
        case .portAdded(let port): return say("+", port)
        case .portRemoved(let port): return say("-", port)
        case .portChanged(let port): return say("~", port)
        case .serverLost(let reason): return ["sound server lost: \(reason); looking for it"]
        case .serverBack: return ["sound server back"]
        default: return EventBody.of(self).compactMap { Event($0).text }
        }
    }
}
