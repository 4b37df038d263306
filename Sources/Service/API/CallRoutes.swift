import Reporting

/// The routes of calls.
enum CallRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/calls") { service, _ in
            .json([JSONMember("calls", .array(service.calls.records.map(\.json)))].object)
        },
        Route("POST", "/v1/calls") { (service, request) async throws(Problem) in try await create(service, request) },
        Route("GET", "/v1/calls/{id}") { (service, request) throws(Problem) in .json(try record(service, request).json) },
        Route("DELETE", "/v1/calls/{id}") { (service, request) throws(Problem) in try hangUp(service, request) },
        Route("GET", "/v1/calls/{id}/stats") { (service, request) throws(Problem) in
            .json(try service.calls.statistics(id(request)))
        },
        Route("POST", "/v1/calls/{id}/answer") { (service, request) throws(Problem) in try answer(service, request) },
        Route("POST", "/v1/calls/{id}/reject") { (service, request) throws(Problem) in try reject(service, request) },
        Route("POST", "/v1/calls/{id}/dtmf") { (service, request) throws(Problem) in try dial(service, request) },
        Route("PUT", "/v1/calls/{id}/hold") { (service, request) throws(Problem) in try hold(service, request, true) },
        Route("DELETE", "/v1/calls/{id}/hold") { (service, request) throws(Problem) in try hold(service, request, false) },
        Route("PUT", "/v1/calls/{id}/mute") { (service, request) throws(Problem) in try mute(service, request, true) },
        Route("DELETE", "/v1/calls/{id}/mute") { (service, request) throws(Problem) in try mute(service, request, false) },
    ]

    private static func id(_ request: APIRequest) -> String { request.parameters["id"] ?? "" }

    private static func record(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> CallRecord {
        guard let record = service.calls.record(id(request)) else { throw .noCall(id(request)) }
        return record
    }

    // MARK: A call begins

    private static func create(_ service: ServiceCore, _ request: APIRequest) async throws(Problem) -> APIResponse {
        let fields = try BodyFields(request, known: ["to", "account", "audio", "wait"])
        guard let target = try fields.text("to") else {
            throw .badField("to", "whom to call is missing; write {\"to\": \"sip:USER@HOST\"}")
        }
        let account = try chooseAccount(service, try fields.text("account"))
        let audio = try fields.object("audio", known: AudioEnds.fields).map { (fields) throws(Problem) in
            try service.ends.choose(fields)
        }
        let wait = try fields.text("wait")
        guard wait == nil || wait == "answered" else {
            throw .badField("wait", "'\(wait ?? "")' cannot be waited for; write \"answered\", or leave it out")
        }
        var record = try service.call(target, account: account, audio: audio)
        if wait != nil { record = await answered(service, record) }
        var response = APIResponse.json(record.json, status: 201)
        response.headers.append(("Location", "/v1/calls/\(record.id)"))
        return response
    }

    /// The one that is named; the only one where none is; none where there are none.
    static func chooseAccount(_ service: ServiceCore, _ name: String?) throws(Problem) -> String? {
        let names = service.accounts.all.map(\.name)
        if let name {
            guard names.contains(name) else {
                throw .badField(
                    "account",
                    "there is no account '\(name)'" + (names.isEmpty ? "" : "; there are \(names.joined(separator: ", "))"))
            }
            return name
        }
        guard names.count <= 1 else {
            throw .badField("account", "name the account to call as: \(names.joined(separator: ", "))")
        }
        return names.first
    }

    /// The call as it is once it was answered, or is over.
    private static func answered(_ service: ServiceCore, _ first: CallRecord) async -> CallRecord {
        for await _ in service.spool.doorbell() {
            guard let record = service.calls.record(first.id) else { return first }
            if record.answered != nil || record.state == .ended { return record }
        }
        return service.calls.record(first.id) ?? first
    }

    // MARK: What is done to a call

    /// The outcome is told by events.
    private static func accepted(_ record: CallRecord) -> APIResponse { .json(record.json, status: 202) }

    static func hangUp(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let record = try service.calls.change(
            id(request), { if $0.rings { $0.ringing = .taken } }, { $0.hangUp(byDuration: false) })
        return record.state == .ended ? .json(record.json) : accepted(record)
    }

    private static func answer(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let audio = try BodyFields(request, known: ["audio"]).object("audio", known: AudioEnds.fields)
            .map { (fields) throws(Problem) in try service.ends.choose(fields) }
        if let audio {
            guard case .handset = audio else {
                // Whatever else is wanted, PUT .../audio sets while it rings.
                throw .badField("audio", "a call is answered with {\"handset\": ID}, or with its account's audio end")
            }
        }
        return accepted(try service.answer(id(request), audio: audio, mustRingHere))
    }

    private static func reject(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        _ = try BodyFields(request, known: [])
        let check = { (record: inout CallRecord) throws(Problem) in
            try mustRingHere(record)
            record.ringing = .taken
        }
        return accepted(try service.calls.change(id(request), check) { $0.hangUp(byDuration: false) })
    }

    private static func mustRingHere(_ record: CallRecord) throws(Problem) {
        guard record.direction == .incoming else {
            throw .conflict("the call is ours: the other side answers it or does not; DELETE ends it")
        }
        guard record.kind == .sip else { throw .conflict("a browser's call is answered when it comes") }
        guard record.rings else {
            let state = record.state == .ringing ? "being answered or ended" : record.state.rawValue
            throw .conflict("the call does not ring any more: it is \(state)")
        }
    }

    private static func dial(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> APIResponse {
        let fields = try BodyFields(request, known: ["digits"])
        guard let digits = try fields.text("digits", limit: 64)?.uppercased(), !digits.isEmpty else {
            throw .badField("digits", "the digits are missing; write {\"digits\": \"123#\"}")
        }
        guard digits.allSatisfy({ "0123456789*#ABCD".contains($0) }) else {
            throw .badField("digits", "digits are 0-9 * # A-D")
        }
        let check = { (record: inout CallRecord) throws(Problem) in try mustTalk(record) }
        let record = try service.calls.change(id(request), check) { call in
            for digit in digits { call.send(digit: digit) }
        }
        return accepted(record)
    }

    private static func hold(_ service: ServiceCore, _ request: APIRequest, _ held: Bool) throws(Problem) -> APIResponse {
        let check = { (record: inout CallRecord) throws(Problem) in try mustTalk(record) }
        return accepted(try service.calls.change(id(request), check) { $0.setHeld(held) })
    }

    private static func mute(_ service: ServiceCore, _ request: APIRequest, _ muted: Bool) throws(Problem) -> APIResponse {
        .json(try service.calls.mute(id(request), muted).json)
    }

    static func mustTalk(_ record: CallRecord) throws(Problem) {
        guard record.state == .active || record.state == .held else {
            throw .conflict("the call is not answered, or over: it is \(record.state.rawValue)")
        }
    }
}
