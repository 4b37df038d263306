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
        publish("conference_created", Self.json(conference, []))
        return conference.id
    }

    /// Takes one away; its calls are the caller's to end.
    func close(_ id: String) throws(Problem) {
        let conference = try find(id)
        state.withLock { $0.all.removeAll { $0.id == id } }
        publish("conference_ended", Self.json(conference, []))
    }

    func bridge(of id: String) throws(Problem) -> CallBridge {
        guard let found = state.withLock({ $0.all.first { $0.id == id } }) else {
            throw .badField(
                "audio.conference", "no conference has the id '\(id.prefix(80))'; make one by POST /v1/conferences")
        }
        return found.bridge
    }

    /// - Parameter records: of all calls.
    func json(_ id: String, _ records: [CallRecord]) throws(Problem) -> JSONValue { Self.json(try find(id), records) }

    func json(_ records: [CallRecord]) -> JSONValue { .array(state.withLock { $0.all }.map { Self.json($0, records) }) }

    private func find(_ id: String) throws(Problem) -> Conference {
        guard let found = state.withLock({ $0.all.first { $0.id == id } }) else {
            throw Problem(
                404, "there is no such conference",
                "no conference has the id '\(id.prefix(80))'; GET /v1/conferences lists them", at: "id")
        }
        return found
    }

    private func publish(_ type: String, _ conference: JSONValue) {
        spool.publish(
            type: type,
            [
                JSONMember("type", .string(type)), JSONMember("time", .string(Timestamp.now().text)),
                JSONMember("conference", conference),
            ].object)
    }

    private static func json(_ conference: Conference, _ records: [CallRecord]) -> JSONValue {
        let members = records.filter { $0.audio == .conference(conference.id) && $0.state != .ended }
        return .object([
            JSONMember("id", .string(conference.id)), JSONMember("name", conference.name.map { .string($0) } ?? .null),
            JSONMember("created", .string(conference.created.text)),
            JSONMember("calls", .array(members.map { .string($0.id) })),
        ])
    }
}
