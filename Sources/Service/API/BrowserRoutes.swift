import Reporting

/// The routes by which a browser calls: the form of WHIP (RFC 9725), with sound both ways.
enum BrowserRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("POST", "/v1/webrtc") { (service, request) async throws(Problem) in try await create(service, request) },
        Route("PATCH", "/v1/webrtc/{id}") { (service, request) throws(Problem) in try trickle(service, request) },
        Route("DELETE", "/v1/webrtc/{id}") { (service, request) throws(Problem) in
            try mustBeBrowser(service, request)
            return try CallRoutes.hangUp(service, request)
        },
    ]

    /// The type of late candidates.
    static let fragment = "application/trickle-ice-sdpfrag"

    /// - Throws: the request's body is of another type.
    static func mustBe(_ kind: String, _ request: APIRequest) throws(Problem) {
        let given = request.headers["content-type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard given == kind else {
            throw Problem(
                415, "the body is of another type", "this route takes \(kind), not '\((given ?? "").prefix(80))'",
                at: "Content-Type")
        }
    }

    private static func create(_ service: ServiceCore, _ request: APIRequest) async throws(Problem) -> APIResponse {
        try mustBe("application/sdp", request)
        let (record, answer) = try await service.browserCame(
            request.body, audio: try audio(service, request), name: request.query["name"], from: request.source,
            permit: request.permit)
        return answered(answer, at: "/v1/webrtc/\(record.id)")
    }

    /// An offer is answered, and the call is at `place` from now on.
    static func answered(_ answer: String, at place: String) -> APIResponse {
        var response = APIResponse(201, contentType: "application/sdp", .bytes(Array(answer.utf8)))
        response.headers.append(("Location", place))
        return response
    }

    /// Candidates were taken, and `late` are ours; `nil`: there is nothing new.
    static func told(_ late: String?) -> APIResponse {
        guard let late else { return APIResponse(204, contentType: "", .bytes([])) }
        return APIResponse(200, contentType: fragment, .bytes(Array(late.utf8)))
    }

    private static let fields = ["device", "echo", "play", "handset", "conference", "name"]

    /// The audio end that the query chooses: `echo=true`, `device=NAME`, `play=FILE` or `conference=ID`; without a query the usual one.
    /// - Returns: `nil` for `handset=true`, which may have a `name`.
    private static func audio(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> AudioEnd? {
        for name in request.query.keys where !fields.contains(name) {
            throw .badField(name, "the query has no '\(name.prefix(80))'; there are \(fields.joined(separator: ", "))")
        }
        guard !request.query.isEmpty else { return service.usualAudio }
        var wish = request.query
        if let name = wish.removeValue(forKey: "name") {
            guard wish == ["handset": "true"] else { throw .badField("name", "a handset has a name; ask for handset=true") }
            guard (1...64).contains(name.utf8.count), !name.utf8.contains(where: { $0 < 32 || $0 == 127 }) else {
                throw .badField("name", "'name' has 1 to 64 bytes, and no control characters")
            }
        }
        if wish == ["handset": "true"] { return nil }
        if let conference = wish.removeValue(forKey: "conference") {
            guard wish.isEmpty else { throw .badField("conference", "'conference' stands alone") }
            return .conference(conference)
        }
        guard request.query["handset"] == nil else {
            throw .badField("handset", "'handset' is true, and stands alone: the calls that name the handset are its other end")
        }
        let echo = request.query["echo"]
        guard echo == nil || echo == "true" || echo == "false" else { throw .badField("echo", "'echo' is true or false") }
        return try service.ends.choose(
            device: request.query["device"], file: request.query["play"], echoes: echo == "true")
    }

    private static func trickle(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        try mustBeBrowser(service, request)
        try mustBe(fragment, request)
        return told(try service.calls.trickle(request.parameters["id"] ?? "", request.body))
    }

    private static func mustBeBrowser(_ service: ServiceCore, _ request: APIRequest) throws(Problem) {
        let id = request.parameters["id"] ?? ""
        guard service.calls.record(id)?.kind == .browser else { throw .noCall(id) }
    }
}
