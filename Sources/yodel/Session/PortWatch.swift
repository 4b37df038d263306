import AudioSession
import Glibc
import LiveMedia
import Reporting
import Softphone

/// `yodel devices --watch` with a sound server: the ports and the route there are, then each change as it happens.
struct PortWatch {
    private let session = AudioSession()
    private let events: Mailbox<SessionEvent>
    private let isJSON: Bool

    /// Looks for the sound server; `nil` when there is none.
    init?(json: Bool) {
        guard let events = try? Mailbox<SessionEvent>() else { return nil }
        (self.events, isJSON) = (events, json)
        session.setCategory(.playAndRecord, options: .mixWithOthers)
        session.setEventHandler { events.post($0) }
        session.activate()
        do { try session.checkSoundServer() } catch { return nil }
    }

    /// Prints until `isInterrupted`.
    func run(isInterrupted: () -> Bool) {
        while !isInterrupted() {
            for event in events.takeAll() { print(event) }
            var descriptor = pollfd(fd: events.signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, 200)
        }
        session.deactivate()
    }

    private func print(_ event: SessionEvent) {
        for line in isJSON ? Self.json(event).map(\.text) : Self.text(event) { Output.standard.line(line) }
    }

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

    static func json(_ event: SessionEvent) -> [JSONValue] {
        switch event {
        case .portAdded(let port): [Self.event("port_added", members(port))]
        case .portRemoved(let port): [Self.event("port_removed", members(port))]
        case .portChanged(let port): [Self.event("port_changed", members(port))]
        case .outputSilent(let silence, let port):
            [Self.event("output_silent", members(port) + [JSONMember("reason", .string(silence.rawValue))])]
        case .outputAudible(let port): [Self.event("output_audible", members(port))]
        case .serverLost(let reason): [Self.event("server_lost", [JSONMember("reason", .string(reason))])]
        case .serverBack: [Self.event("server_back", [])]
        case .routeChanged, .interruptionBegan, .interruptionEnded: EventBody.of(event).map { Event($0).json }
        }
    }

    static func text(_ event: SessionEvent) -> [String] {
        func say(_ what: String, _ port: AudioPort) -> [String] {
            let kind = port.kind.rawValue.split(separator: "_").joined(separator: " ")
            let rate = port.sampleRate.map { ", \($0) Hz" } ?? ""
            return ["\(what) \(port.direction.rawValue) \(port.id)  (\(port.name)): \(kind), \(port.channels) ch\(rate)"]
        }
        switch event {
        case .portAdded(let port): return say("+", port)
        case .portRemoved(let port): return say("-", port)
        case .portChanged(let port): return say("~", port)
        case .serverLost(let reason): return ["sound server lost: \(reason); looking for it"]
        case .serverBack: return ["sound server back"]
        default: return EventBody.of(event).compactMap { Event($0).text }
        }
    }
}
