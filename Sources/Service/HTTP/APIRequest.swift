import Link
import Reporting

/// A request as the routes see it, whichever server took it.
package struct APIRequest: Sendable {
    package var method: String
    /// Without the query, as it came.
    package var path: String
    /// Of a name that stands twice the first counts.
    package var query: [String: String] = [:]
    /// Names in lower case.
    package var headers: [String: String]
    package var body: [UInt8]
    /// Where it came from; `nil`: from nowhere in particular.
    package var source: IPAddress?
    /// What its token allows; `nil`: it has none, or nobody has looked.
    package var role: Role?
    /// Its token, for what goes on longer than the request; `nil`: it has none, or nobody has looked.
    package var permit: Permit?
    /// What the route's template has names for.
    package var parameters: [String: String] = [:]

    /// - Parameter target: path and query, or a whole URL, whose host takes the place of the header's (RFC 9112 section 3.2.2).
    package init(_ method: String, _ target: String, headers: [String: String] = [:], body: [UInt8] = []) {
        (self.method, self.headers, self.body) = (method, headers, body)
        var target = target[...]
        if let scheme = ["http://", "https://"].first(where: { target.prefix(8).lowercased().hasPrefix($0) }) {
            target = target.dropFirst(scheme.count)
            let authority = target.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            target = target.dropFirst(authority.count)
            self.headers["host"] = authority.split(separator: "@", omittingEmptySubsequences: false).last.map { String($0) }
        }
        let path = target.prefix { $0 != "?" && $0 != "#" }
        self.path = path.isEmpty ? "/" : String(path)
        query = Self.query(of: target)
    }

    /// Names and values, percent-decoded; what is malformed stays as it is.
    private static func query(of target: Substring) -> [String: String] {
        guard let mark = target.firstIndex(of: "?") else { return [:] }
        let text = target[target.index(after: mark)...].prefix { $0 != "#" }
        var found: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentCode.field(parts[0])
            if found[name] == nil { found[name] = parts.count > 1 ? PercentCode.field(parts[1]) : "" }
        }
        return found
    }
}

/// What a route answers.
package struct APIResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Events from that one on, until a side ends it; `nil`: from now on.
        case events(after: EventID?)
        /// A file, however long.
        case file(path: String)
        /// The connection becomes a WebSocket.
        case program(ProgramVisit)
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
