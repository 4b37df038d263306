import Realtime

/// Who may come in: the bearer of a token, by a name that is ours, for what the token's role allows.
package final class Gate: Sendable {
    private struct State {
        var tokens: [Role: [UInt8]]
        var holds: [Int: Hold] = [:]
        var lastNumber = 0
    }

    /// What goes on by a token, beyond its request.
    private struct Hold {
        let token: [UInt8]
        let least: Role
        let onLapse: @Sendable () -> Void
    }

    private let state: Lock<State>
    /// Whether only this machine can reach the server; its names are then checked, so that no page from elsewhere can have
    /// a browser ask us by a name of its own (DNS rebinding).
    private let isOnLoopback: Bool
    /// Which token is to be sent.
    private let remedy: String

    /// - Parameter token: for everything.
    package convenience init(token: String, isOnLoopback: Bool) {
        self.init(tokens: [.admin: token], isOnLoopback: isOnLoopback)
    }

    /// - Parameters:
    ///   - tokens: by what they allow.
    ///   - isOnLoopback: whether only this machine can reach the server.
    ///   - remedy: which token is to be sent, in words.
    package init(
        tokens: [Role: String], isOnLoopback: Bool,
        remedy: String = "the token of softphone.token_file or of the file `token` in the state folder"
    ) {
        state = Lock(State(tokens: tokens.mapValues { Array($0.utf8) }))
        (self.isOnLoopback, self.remedy) = (isOnLoopback, remedy)
    }

    /// Takes other tokens from now on; what goes on by one that does not allow it any more ends.
    package func change(_ tokens: [Role: String]) {
        let tokens = tokens.mapValues { Array($0.utf8) }
        let lapsed = state.withLock { state -> [Hold] in
            state.tokens = tokens
            let lapsed = state.holds.filter { hold in
                Self.role(of: hold.value.token, in: tokens).map { $0 < hold.value.least } ?? true
            }
            for number in lapsed.keys { state.holds[number] = nil }
            return Array(lapsed.values)
        }
        for hold in lapsed { hold.onLapse() }
    }

    /// The request's token, for what goes on longer; `nil`: it has none.
    package func permit(of request: APIRequest) -> Permit? { Self.token(of: request).map { Permit(self, token: $0) } }

    /// Something goes on by a token.
    /// - Returns: its number.
    func enter(_ token: [UInt8], _ least: Role, _ onLapse: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.holds[state.lastNumber] = Hold(token: token, least: least, onLapse: onLapse)
            return state.lastNumber
        }
    }

    /// It is over. What it held is let go outside the lock.
    func leave(_ number: Int) { _ = state.withLock { $0.holds.removeValue(forKey: number) } }

    package func checkHost(_ request: APIRequest) throws(Problem) {
        guard isOnLoopback else { return }
        let host = Self.name((request.headers["host"] ?? "").lowercased())
        let isNumber = host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
        guard isNumber || ["localhost", "[::1]"].contains(host) else {
            throw Problem(
                421, "the request is for another host",
                "the service is on loopback and goes by localhost, 127.0.0.1 and [::1] only", at: "Host")
        }
    }

    /// A page from elsewhere must not have its reader's browser ask us, whatever the page knows. Browsers say where a request comes
    /// from (Fetch Metadata), also through a proxy that gives us another name.
    package func checkSite(_ request: APIRequest) throws(Problem) {
        let site = request.headers["sec-fetch-site"]?.lowercased() ?? "none"
        guard site == "none" || site == "same-origin" else {
            throw Problem(
                403, "the request is a page's from elsewhere", "a browser may ask from the service's own page only",
                at: "Sec-Fetch-Site")
        }
    }

    package func isBearer(_ request: APIRequest) -> Bool { role(of: request) != nil }

    /// What the request's token allows; `nil`: it has none, or a wrong one.
    package func role(of request: APIRequest) -> Role? { Self.token(of: request).flatMap { role(of: $0) } }

    /// What a token allows; `nil`: it is none.
    func role(of token: [UInt8]) -> Role? { Self.role(of: token, in: state.withLock { $0.tokens }) }

    /// All are looked at, whichever it is.
    private static func role(of given: [UInt8], in tokens: [Role: [UInt8]]) -> Role? {
        tokens.filter { isSame(given, $0.value) }.keys.max()
    }

    private static func token(of request: APIRequest) -> [UInt8]? {
        (bearer(request) ?? SessionCookie.token(request)).map { Array($0.utf8) }
    }

    private static func bearer(_ request: APIRequest) -> String? {
        let words = (request.headers["authorization"] ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        return String(words[1])
    }

    /// - Parameter least: what the request needs.
    package func checkToken(_ request: APIRequest, for least: Role = .read) throws(Problem) {
        guard let role = role(of: request) else {
            throw Problem(
                401, "the token is missing or wrong",
                "send Authorization: Bearer TOKEN, with \(remedy)",
                at: "Authorization")
        }
        guard role >= least else {
            throw Problem(
                403, "the token does not allow this",
                "this takes the role \(least.name), and the token has \(role.name); send the token of \(least.key)",
                at: "Authorization")
        }
    }

    /// Takes as long for a wrong token as for the right one.
    static func isSame(_ given: [UInt8], _ token: [UInt8]) -> Bool {
        var difference = given.count ^ token.count
        for index in token.indices {
            difference |= Int(token[index] ^ (index < given.count ? given[index] : 0))
        }
        return difference == 0
    }

    /// Without the port.
    private static func name(_ host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return String(host.prefix { $0 != ":" })
    }

    /// A token nobody can guess.
    package static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(random.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
