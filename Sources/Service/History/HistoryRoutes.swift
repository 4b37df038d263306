import History
import Reporting

/// The routes of calls that were.
enum HistoryRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/history") { (service, request) throws(Problem) in try list(service, request) },
        Route("GET", "/v1/history/{id}") { (service, request) throws(Problem) in try one(service, request) },
    ]

    private static let fields = ["q", "account", "direction", "since", "until", "before", "limit"]

    private static func list(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let query = try query(request)
        let page = try read(service) { (reader) throws(HistoryError) in try reader.page(query) }
        return .json(
            [
                JSONMember("calls", .array(page.calls.map(\.json))),
                JSONMember("next", page.next.map { .integer(Int($0)) } ?? .null),
                JSONMember("lost", .integer(Int(clamping: service.history?.lost ?? 0))),
            ].object)
    }

    private static func one(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let id = request.parameters["id"] ?? ""
        guard let call = try read(service, { (reader) throws(HistoryError) in try reader.call(id) }) else {
            throw Problem(
                404, "there is no such call",
                "the history has no call with the id '\(id.prefix(80))'; GET /v1/history lists them", at: "id")
        }
        guard case .object(let members) = call.wholeJSON else { return .json(call.wholeJSON) }
        let names = service.recordings.map { RecordingShelf(folder: $0).all().filter { $0.call == id }.map(\.name) } ?? []
        return .json(.object(members + [JSONMember("recordings", .array(names.map { .string($0) }))]))
    }

    /// What is wrong with the database is told, and costs nothing else.
    static func read<Value>(
        _ service: ServiceCore, _ body: (HistoryReader) throws(HistoryError) -> Value
    ) throws(Problem) -> Value {
        guard let history = service.history else {
            throw Problem(
                409, "no history is kept", "name a file for it: softphone.history", at: "softphone.history")
        }
        do throws(HistoryError) { return try body(history.reader()) } catch {
            if case .opening = error {
                throw Problem(503, "the history is being opened", "\(error)", retryAfterSeconds: 1)
            }
            throw Problem(503, "the history cannot be read", "\(error)", at: "softphone.history", retryAfterSeconds: 5)
        }
    }

    private static func query(_ request: APIRequest) throws(Problem) -> HistoryQuery {
        for name in request.query.keys where !fields.contains(name) {
            throw .badField(name, "the query has no '\(name.prefix(80))'; there are \(fields.joined(separator: ", "))")
        }
        var query = HistoryQuery()
        query.text = try text("q", request)
        query.account = try text("account", request)
        query.direction = try text("direction", request)
        if let direction = query.direction, CallRecord.Direction(rawValue: direction) == nil {
            throw .badField("direction", "'direction' is outgoing or incoming")
        }
        query.since = try time("since", request)
        query.until = try time("until", request)
        if let before = try number("before", request, in: 1...Int.max) { query.before = Int64(before) }
        query.limit = try number("limit", request, in: 1...HistoryQuery.largestPage) ?? query.limit
        return query
    }

    private static func text(_ name: String, _ request: APIRequest) throws(Problem) -> String? {
        guard let text = request.query[name], !text.isEmpty else { return nil }
        guard text.utf8.count <= 200 else { throw .badField(name, "'\(name)' has at most 200 bytes") }
        return text
    }

    private static func time(_ name: String, _ request: APIRequest) throws(Problem) -> String? {
        guard let text = request.query[name] else { return nil }
        guard HistoryQuery.isTime(text) else {
            throw .badField(name, "'\(name)' is a day or a time: 2026-11-24, 2026-11-24T08:30Z or 2026-11-24T09:30+01:00")
        }
        return text
    }

    private static func number(
        _ name: String, _ request: APIRequest, in range: ClosedRange<Int>
    ) throws(Problem) -> Int? {
        guard let text = request.query[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .badField(name, "'\(name)' is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
