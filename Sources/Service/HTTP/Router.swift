/// One method of one path.
package struct Route<Target: Sendable>: Sendable {
    package typealias Handler = @Sendable (Target, APIRequest) async throws(Problem) -> APIResponse

    package let method: String
    /// Such as `/v1/calls/{id}`.
    package let template: String
    /// Whether it needs no token.
    package let isOpen: Bool
    /// What its token must allow.
    package let role: Role
    let handler: Handler

    /// - Parameter role: `nil`: as its method says.
    package init(
        _ method: String, _ template: String, isOpen: Bool = false, role: Role? = nil, _ handler: @escaping Handler
    ) {
        self.role = role ?? Role(method: method)
        (self.method, self.template, self.isOpen, self.handler) = (method, template, isOpen, handler)
    }

    /// Whether a request is for this route, and for no other.
    func takes(_ request: APIRequest) -> Bool {
        request.method == method && PercentCode.segments(request.path).flatMap { match($0) } != nil
    }

    /// What the template's names stand for in `path`; `nil`: it is another path.
    fileprivate func match(_ path: [String]) -> [String: String]? {
        let parts = template.split(separator: "/")
        guard parts.count == path.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, word) in zip(parts, path) {
            if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = word
            } else if part != word {
                return nil
            }
        }
        return parameters
    }
}

/// Finds the route of a request, checks who asks, and makes a response of whatever comes of it.
package struct Router<Target: Sendable>: Sendable {
    package let routes: [Route<Target>]
    private let gate: Gate

    package init(_ routes: [Route<Target>], gate: Gate) { (self.routes, self.gate) = (routes, gate) }

    /// Whether a request bears the token.
    package func isBearer(_ request: APIRequest) -> Bool { gate.isBearer(request) }

    /// The request's token, for what goes on longer; `nil`: it has none.
    func permit(of request: APIRequest) -> Permit? { gate.permit(of: request) }

    package func answer(_ request: APIRequest, by target: Target) async -> APIResponse {
        do throws(Problem) {
            try gate.checkHost(request)
            let (route, parameters) = try find(request)
            var request = request
            (request.parameters, request.role) = (parameters, gate.role(of: request))
            request.permit = gate.permit(of: request)
            return try await route.handler(target, request)
        } catch {
            return error.response
        }
    }

    /// Paths are told apart only to those who bear the token.
    private func find(_ request: APIRequest) throws(Problem) -> (Route<Target>, [String: String]) {
        guard let path = PercentCode.segments(request.path) else {
            try gate.checkToken(request)
            throw Problem(
                400, "the path cannot be understood",
                "each part of '\(request.path.prefix(200))' is percent-encoded UTF-8 without control characters, and neither . nor .."
            )
        }
        let method = request.method == "HEAD" ? "GET" : request.method
        let matching = routes.compactMap { route in route.match(path).map { (route: route, parameters: $0) } }
        let found = matching.first { $0.route.method == method }
        let isOpen = found?.route.isOpen == true
        if !isOpen { try gate.checkToken(request, for: found?.route.role ?? .read) }
        // Pages from elsewhere may link to what anybody may see; they may have nothing done.
        if !isOpen || method != "GET" { try gate.checkSite(request) }
        if let found { return (found.route, found.parameters) }
        guard !matching.isEmpty else {
            throw Problem(
                404, "there is no such path",
                "'\(request.path.prefix(200))' leads nowhere; /openapi.yaml of the service lists all paths")
        }
        var problem = Problem(
            405, "the path does not know this method",
            "'\(request.path.prefix(200))' does not know \(request.method.prefix(20))")
        problem.allowed = matching.map(\.route.method)
        problem.detail += "; use \(problem.allowed.joined(separator: ", "))"
        throw problem
    }
}
