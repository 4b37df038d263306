import Realtime
import Reporting
import Softphone

/// Places where calls hear each other. Who is in one is told by the calls: their audio end names it. Any thread may call any function.
package final class ConferenceBook: Sendable {
    private struct Conference {
        let id: String
        let name: String?
        let created = Timestamp.now()
        let bridge = CallBridge()
        /// Ids of the calls in it, as they were told last.
        var told: [String] = []
    }

    private struct State {
        var all: [Conference] = []
        var last = 0
    }

    private let state = Lock(State())
    private let spool: EventSpool

    /// Conferences at once at most.
    package static let limit = 100

    init(_ spool: EventSpool) { self.spool = spool }

    /// - Returns: the new one's id.
    func open(_ name: String?) throws(Problem) -> String {
        let conference = try state.withLock { state throws(Problem) in
            guard state.all.count < Self.limit else {
                throw Problem(
                    503, "there are too many conferences", "\(Self.limit) at once are allowed; end one", retryAfterSeconds: 5)
            }
            state.last += 1
            let conference = Conference(id: "\(spool.epoch)-c\(state.last)", name: name)
            state.all.append(conference)
            return conference
        }
        publish("conference_created", conference)
        return conference.id
    }

    /// Takes one away; its calls are the caller's to end.
    package func close(_ id: String) throws(Problem) {
        _ = try find(id)
        let closed = state.withLock { state in
            state.all.firstIndex { $0.id == id }.map { state.all.remove(at: $0) }
        }
        if let closed { publish("conference_ended", closed) }
    }

    /// Tells who is in one, where that has changed: whoever is left alone there waits for somebody, and is not forgotten.
    /// - Parameter records: of all calls, as they are when it is asked for them.
    func look(_ id: String, _ records: () -> [CallRecord]) {
        state.withLock { state in
            guard let index = state.all.firstIndex(where: { $0.id == id }) else { return }
            let members = Self.members(of: id, records())
            guard members != state.all[index].told else { return }
            state.all[index].told = members
            publish("conference_changed", state.all[index])
        }
    }

    func has(_ id: String) -> Bool { state.withLock { $0.all.contains { $0.id == id } } }

    func bridge(of id: String) throws(Problem) -> CallBridge {
        guard let found = state.withLock({ $0.all.first { $0.id == id } }) else {
            throw .badField(
                "audio.conference", "no conference has the id '\(id.prefix(80))'; make one by POST /v1/conferences")
        }
        return found.bridge
    }

    /// - Parameter records: of all calls.
    func json(_ id: String, _ records: [CallRecord]) throws(Problem) -> JSONValue {
        Self.json(try find(id), Self.members(of: id, records))
    }

    func json(_ records: [CallRecord]) -> JSONValue {
        .array(state.withLock { $0.all }.map { Self.json($0, Self.members(of: $0.id, records)) })
    }

    private func find(_ id: String) throws(Problem) -> Conference {
        guard let found = state.withLock({ $0.all.first { $0.id == id } }) else {
            throw Problem(
                404, "there is no such conference",
                "no conference has the id '\(id.prefix(80))'; GET /v1/conferences lists them", at: "id")
        }
        return found
    }

    private func publish(_ type: String, _ conference: Conference) {
        spool.publish(
            type: type,
            [
                JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text)),
                JSONMember("conference", Self.json(conference, conference.told)),
            ].object)
    }

    private static func members(of id: String, _ records: [CallRecord]) -> [String] {
        records.filter { $0.audio == .conference(id) && $0.state != .ended }.map(\.id)
    }

    private static func json(_ conference: Conference, _ members: [String]) -> JSONValue {
        .object([
            JSONMember("id", .string(conference.id)), JSONMember("name", conference.name.map { .string($0) } ?? .null),
            JSONMember("created", .string(conference.created.text)),
            JSONMember("calls", .array(members.map { .string($0) })),
        ])
    }
}
