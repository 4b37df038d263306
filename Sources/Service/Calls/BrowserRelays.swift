import Crypto
import Reporting
import SecureRTP
import Settings
import Softphone

/// The TURN servers that a browser may use where its network does not let it come straight, and what names and passwords for it are made
/// of: the secret that the servers know too ("TURN REST", coturn's `use-auth-secret`). None of them counts for long.
package struct BrowserRelays: Sendable, Equatable {
    /// After which no new way is opened by a name and its password, s. What is open goes on.
    package static let lifetimeSeconds = 3600

    private let urls: [String]
    private let secret: String

    /// - Parameters:
    ///   - servers: of `network.turn`.
    ///   - secret: that they share with us.
    package init(_ servers: [ServerName], secret: String) {
        urls = servers.map { $0.way == .udp ? "turn:\($0)" : "\($0)" }
        self.secret = secret
    }

    /// As the configuration says.
    /// - Throws: the secret cannot be read, or there are no servers for it.
    /// - Returns: `nil`: browsers are told of none.
    static func configured(_ configuration: Configuration) throws(SoftphoneError) -> BrowserRelays? {
        guard let path = configuration[\.softphone.turnSecretFile] else { return nil }
        let secret: String
        do { secret = try SecretFile.line(path: path) } catch {
            throw .request(
                "\(path) cannot be read, in softphone.turn_secret_file; make it, with one line that holds the secret")
        }
        let servers = configuration[\.network.turn]
        guard !servers.isEmpty else {
            throw .request(
                "softphone.turn_secret_file is a secret of TURN servers, and there are none; name them with network.turn")
        }
        guard secret.utf8.count >= 16 else {
            throw .request("the secret in \(path) is too short, in softphone.turn_secret_file; give 16 characters or more")
        }
        return BrowserRelays(servers, secret: secret)
    }

    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - name: of who is to use them.
    /// - Returns: an `RTCIceServer`.
    package func server(now: Int64, name: String) -> JSONValue {
        let user = "\(now + Int64(Self.lifetimeSeconds)):\(name)"
        let code = HMAC<Insecure.SHA1>.authenticationCode(
            for: Array(user.utf8), using: SymmetricKey(data: Array(secret.utf8)))
        return [
            JSONMember("urls", .array(urls.map { .string($0) })), JSONMember("username", .string(user)),
            JSONMember("credential", .string(Base64.encode(Array(code)))),
        ].object
    }

    /// What nobody may find in anything that leaves the service.
    var secrets: [String] { [secret] }
}

/// The route by which a page asks for them before it opens its connection.
enum RelayRoute {
    static let all: [Route<ServiceCore>] = [
        Route("GET", "/v1/relays", role: .operate) { service, _ in
            let now = Timestamp.now().millisecondsSince1970 / 1000
            let name = String(UInt64.random(in: 0 ... .max), radix: 36)
            let servers = service.relays().map { [$0.server(now: now, name: name)] } ?? []
            return .json(
                [
                    JSONMember("ice_servers", .array(servers)),
                    JSONMember("lifetime_s", .integer(BrowserRelays.lifetimeSeconds)),
                ].object)
        }
    ]
}
