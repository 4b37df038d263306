import Reporting

/// The routes of conferences. A call comes into one by its audio end, `{"conference": ID}`.
enum ConferenceRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/conferences") { service, _ in
            .json([JSONMember("conferences", service.conferences.json(service.calls.records))].object)
        },
        Route("POST", "/v1/conferences") { (service, request) throws(Problem) in
            let name = try BodyFields(request, known: ["name"]).text("name", limit: 200)
            let id = try service.conferences.open(name)
            var response = APIResponse.json(try service.conferences.json(id, []), status: 201)
            response.headers.append(("Location", "/v1/conferences/\(id)"))
            return response
        },
        Route("GET", "/v1/conferences/{id}") { (service, request) throws(Problem) in
            .json(try service.conferences.json(id(request), service.calls.records))
        },
        Route("DELETE", "/v1/conferences/{id}") { (service, request) throws(Problem) in
            let id = id(request)
            let json = try service.conferences.json(id, service.calls.records)
            try service.conferences.close(id)
            for record in service.calls.records where record.audio == .conference(id) {
                service.calls.live(record.id)?.hangUp(byDuration: false)
            }
            return .json(json)
        },
    ]

    private static func id(_ request: APIRequest) -> String { request.parameters["id"] ?? "" }
}

/// The route by which a call gets another audio end, and those of browsers that are handsets.
enum AudioRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("PUT", "/v1/calls/{id}/audio") { (service, request) throws(Problem) in
            let audio = try service.ends.choose(try BodyFields(request, known: AudioEnds.fields))
            return .json(try service.changeAudio(of: request.parameters["id"] ?? "", to: audio).json)
        },
        Route("GET", "/v1/handsets") { service, _ in
            let records = service.calls.records
            let handsets = records.filter { $0.kind == .browser && $0.state != .ended && $0.audio == .handset($0.id) }
            return .json(
                [
                    JSONMember(
                        "handsets",
                        .array(
                            handsets.map { handset in
                                let users = records.filter {
                                    $0.kind == .sip && $0.state != .ended && $0.audio == .handset(handset.id)
                                }
                                return .object([
                                    JSONMember("id", .string(handset.id)),
                                    JSONMember("name", handset.name.map { .string($0) } ?? .null),
                                    JSONMember("calls", .array(users.map { .string($0.id) })),
                                ])
                            }))
                ].object)
        },
    ]
}
