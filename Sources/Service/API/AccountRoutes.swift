import Reporting

/// The routes of accounts.
enum AccountRoutes {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/accounts") { service, _ in
            .json([JSONMember("accounts", .array(service.accounts.all.map(\.json)))].object)
        },
        Route("GET", "/v1/accounts/{id}") { (service, request) throws(Problem) in .json(try account(service, request).json) },
        Route("POST", "/v1/accounts/{id}/refresh") { (service, request) throws(Problem) in
            _ = try BodyFields(request, known: [])
            let account = try account(service, request)
            guard !service.calls.isDraining else { throw .draining(seconds: 1) }
            service.refresh(account.name)
            return .json(account.json, status: 202)
        },
        Route("POST", "/v1/accounts/{id}/check") { (service, request) async throws(Problem) in
            _ = try BodyFields(request, known: [])
            let name = try account(service, request).name
            guard !service.calls.isDraining else { throw .draining(seconds: 1) }
            let check = try await service.accountChecks.check(name)
            // A registrar that keeps one place an account has given ours to the look.
            if check.outcome == .registered, !service.calls.isDraining { service.refresh(name) }
            return .json(check.json(of: name))
        },
    ]

    static func account(_ service: ServiceCore, _ request: APIRequest) throws(Problem) -> AccountBook.Record {
        let name = request.parameters["id"] ?? ""
        guard let account = service.accounts.all.first(where: { $0.name == name }) else {
            throw Problem(
                404, "there is no such account",
                "the configuration has no account '\(name.prefix(80))'; GET /v1/accounts lists them", at: "id")
        }
        return account
    }
}

/// The route by which the service is told to end.
enum DrainRoute {
    static let all: [Route<ServiceCore>] = [
        Route("POST", "/v1/drain", role: .admin) { (service, request) throws(Problem) in
            _ = try BodyFields(request, known: [])
            service.wishEnd()
            return .json(
                [JSONMember("draining", .boolean(true)), JSONMember("calls", .integer(service.calls.running))].object,
                status: 202)
        }
    ]
}
