import Reporting

/// Why a request is not carried out: what, where, and what to do (RFC 9457).
package struct Problem: Error, Sendable, Equatable {
    package var status: Int
    /// What is wrong, the same for every request of the kind.
    package var title: String
    /// What is wrong with this one, and what to do.
    package var detail: String
    /// The field or header it is about.
    package var place: String?
    /// When to try again, s.
    package var retryAfterSeconds: Int?
    /// Methods that the path knows.
    package var allowed: [String] = []

    package init(
        _ status: Int, _ title: String, _ detail: String, at place: String? = nil, retryAfterSeconds: Int? = nil
    ) {
        (self.status, self.title, self.detail, self.place) = (status, title, detail, place)
        self.retryAfterSeconds = retryAfterSeconds
    }

    package static func badField(_ name: String, _ detail: String) -> Problem {
        Problem(400, "the request cannot be understood", detail, at: name)
    }

    package static func noCall(_ id: String) -> Problem {
        Problem(
            404, "there is no such call",
            "no call has the id '\(id.prefix(80))', or it was over long ago; GET /v1/calls lists them", at: "id")
    }

    /// The state of a call forbids it.
    package static func conflict(_ detail: String) -> Problem { Problem(409, "the call's state forbids this", detail) }

    package static func draining(seconds: Int) -> Problem {
        Problem(
            503, "the service is ending", "it takes no new calls; ask another one, or try again when it is back",
            retryAfterSeconds: max(1, seconds))
    }

    package var response: APIResponse {
        var members = [
            JSONMember("type", .string("about:blank")), JSONMember("title", .string(title)),
            JSONMember("status", .integer(status)), JSONMember("detail", .string(detail)),
        ]
        if let place { members.append(JSONMember("at", .string(place))) }
        var response = APIResponse.json(.object(members), status: status)
        response.contentType = "application/problem+json"
        if let retryAfterSeconds { response.headers.append(("Retry-After", "\(retryAfterSeconds)")) }
        if !allowed.isEmpty { response.headers.append(("Allow", allowed.joined(separator: ", "))) }
        if status == 401 { response.headers.append(("WWW-Authenticate", "Bearer realm=\"yodel\"")) }
        return response
    }
}
