import Reporting

/// The routes by which programs listen to calls, or talk in them.
enum ProgramRoutes {
    /// Where a program comes to a call. The token decides: listening is looking, talking is not.
    static let stream = Route<ServiceCore>("GET", "/v1/calls/{id}/stream") { (service, request) throws(Problem) in
        try visit(service, request)
    }
    static let all: [Route<ServiceCore>] = [
        stream,
        Route("PUT", "/v1/calls/{id}/listener") { (service, request) throws(Problem) in try listen(service, request) },
        Route("DELETE", "/v1/calls/{id}/listener") { (service, request) throws(Problem) in try end(service, request) },
    ]

    private static let fields = ["track", "rate", "encoding"]

    // MARK: A program that comes

    private static func visit(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let id = request.parameters["id"] ?? ""
        let programs = try service.calls.programs(of: id)
        guard let record = service.calls.record(id) else { throw .noCall(id) }
        for name in request.query.keys where !fields.contains(name) {
            throw .badField(name, "the query has no '\(name.prefix(80))'; there are \(fields.joined(separator: ", "))")
        }
        let track = try request.query["track"].map { (name) throws(Problem) in try ProgramTrack.choose(name, field: "track") }
        guard record.state != .ended else { throw .conflict("the call is over") }
        var visit = try track == nil ? talk(record, request) : listen(programs, track, request)
        (visit.permit, visit.least) = (request.permit, track == nil ? .operate : .read)
        guard request.headers["upgrade"]?.lowercased() == "websocket" else {
            throw Problem(
                426, "this is a WebSocket", "ask for the upgrade that RFC 6455 describes, with GET", at: "Upgrade")
        }
        return APIResponse(101, contentType: "", .program(visit))
    }

    private static func talk(_ record: CallRecord, _ request: APIRequest) throws(Problem) -> ProgramVisit {
        if let name = fields.first(where: { request.query[$0] != nil }) {
            throw .badField(name, "who talks in a call has the '\(name)' of the call's audio end; to listen, give a track")
        }
        guard (request.role ?? .read) >= .operate else {
            throw Problem(
                403, "the token does not allow this",
                "to talk in a call takes the role operate; listen (track=mixed), or send the token of \(Role.operate.key)",
                at: "Authorization")
        }
        guard let line = record.audio.line, line.end.place == nil else {
            throw .conflict(
                "the call's audio end is another; begin calls with {\"audio\": {\"stream\": true}}, or listen: track=mixed")
        }
        guard line.isFree else { throw .conflict("a program talks in the call already, or the call is over") }
        return ProgramVisit(dialect: try dialect(line.end.format, request)) { [weak line] socket in
            guard let line, try await line.serve(socket, dialect(line.end.format, request)) else {
                return try await ProgramSession.refuse(socket, masks: false)
            }
        }
    }

    private static func listen(
        _ programs: CallPrograms, _ track: ProgramTrack?, _ request: APIRequest
    ) throws(Problem) -> ProgramVisit {
        let rate = try request.query["rate"].map { (text) throws(Problem) in
            guard let rate = Int(text) else { throw .badField("rate", "'rate' is a number of samples a second") }
            return rate
        }
        let end = try ProgramEnd(rate: rate, encoding: request.query["encoding"], track: track)
        guard programs.hasRoom else {
            throw Problem(
                503, "too many programs listen to the call", "\(CallPrograms.most) at once may; end one", retryAfterSeconds: 5)
        }
        let dialect = try dialect(end.format, request)
        return ProgramVisit(dialect: dialect) { socket in
            // The call may have ended, or others have come, since there was room.
            guard try await programs.serve(end, socket, dialect) else {
                return try await ProgramSession.refuse(socket, masks: false)
            }
        }
    }

    private static func dialect(_ format: ProgramFormat, _ request: APIRequest) throws(Problem) -> ProgramDialect {
        guard let dialect = ProgramDialect.choose(request.headers["sec-websocket-protocol"], for: format) else {
            let known = ProgramDialect.offered(for: format).map(\.rawValue).joined(separator: ", ")
            throw .badField("Sec-WebSocket-Protocol", "none of these subprotocols is known here; offer \(known), or none")
        }
        return dialect
    }

    // MARK: A program that is connected to

    private static func listen(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let programs = try service.calls.programs(of: request.parameters["id"] ?? "")
        let fields = try BodyFields(request, known: ["websocket", "rate", "encoding", "track"])
        guard let url = try fields.text("websocket") else {
            throw .badField("websocket", "who is to listen is missing; write {\"websocket\": \"wss://HOST/PATH\"}")
        }
        let track = try ProgramTrack.choose(try fields.text("track") ?? ProgramTrack.mixed.rawValue, field: "track")
        let end = try ProgramEnd(
            url, rate: try fields.number("rate"), encoding: try fields.text("encoding"), track: track,
            allowed: service.ends.programs, prefix: "")
        guard let place = end.place else { throw .badField("websocket", "it is no URL") }
        try programs.listen(end, at: place)
        return .json(end.json)
    }

    private static func end(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        guard let end = try service.calls.programs(of: request.parameters["id"] ?? "").endListening() else {
            throw .conflict("no program that was asked to listen listens to the call")
        }
        return .json(end.json)
    }
}
