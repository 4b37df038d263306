import Reporting

/// A request as the routes see it, whichever server took it.
package struct APIRequest: Sendable {
    package var method: String
    /// Without the query.
    package var path: String
    /// Names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]
    /// What the route's template has names for.
    package var parameters: [String: String] = [:]

    /// - Parameter target: path and query; the query is not used by any route.
    package init(_ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        path = String(target.prefix { $0 != "?" && $0 != "#" })
        self.headers = headers
        self.body = body
    }
}

/// What a route answers.
package struct APIResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Events from that one on, until a side ends it; `nil`: from now on.
        case events(after: EventID?)
    }

    package var status: Int
    package var contentType: String
    package var headers: [(name: String, value: String)] = []
    package var body: Body

    package init(_ status: Int, contentType: String, _ body: Body) {
        (self.status, self.contentType, self.body) = (status, contentType, body)
    }

    package static func json(_ value: JSONValue, status: Int = 200) -> APIResponse {
        APIResponse(status, contentType: "application/json", .bytes(Array(value.text.utf8)))
    }

    package static func text(_ text: String, contentType: String = "text/plain; charset=utf-8") -> APIResponse {
        APIResponse(200, contentType: contentType, .bytes(Array(text.utf8)))
    }
}
