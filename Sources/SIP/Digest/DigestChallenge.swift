/// A challenge of WWW-Authenticate or Proxy-Authenticate, RFC 7616 section 3.3.
public struct DigestChallenge: Hashable, Sendable {
    /// "Digest", or a scheme that is not known; without case.
    public let scheme: String
    public let realm: String
    public let nonce: String
    public let opaque: String?
    /// The nonce was right once and has aged: the same password may be tried again.
    public let isStale: Bool
    /// nil when the algorithm is not known.
    public let algorithm: DigestAlgorithm?
    /// What `qop` offers, in small letters; nil when it is absent (RFC 2069).
    public let protections: [String]?
    /// The server wants the user's name hashed.
    public let hashesUser: Bool

    /// Every challenge of a header field's value.
    static func list(_ value: ArraySlice<UInt8>) -> [DigestChallenge] {
        var scanner = ByteScanner(value)
        var found: [DigestChallenge] = []
        scanner.skipSpace()
        while let scheme = scanner.takeToken() {
            scanner.skipSpace()
            guard let parameters = authParameters(&scanner) else { return found }
            if let challenge = DigestChallenge(scheme: scheme, parameters: parameters) { found.append(challenge) }
            scanner.skipSpace()
        }
        return found
    }

    /// Reads `name=value` pairs up to the end, or up to the next scheme behind a comma. Each comma taken is followed by
    /// either.
    private static func authParameters(_ scanner: inout ByteScanner) -> Parameters? {
        var parameters = Parameters()
        while true {
            while scanner.takeSeparator(UInt8(ascii: ",")) {}
            let before = scanner
            guard let name = scanner.takeToken() else { return scanner.isAtEnd ? parameters : nil }
            guard scanner.takeSeparator(UInt8(ascii: "=")) else {
                scanner = before
                return parameters
            }
            if let quoted = scanner.takeQuoted() {
                if !parameters.contains(name) { parameters.set(name, quoted.text) }
            } else if let token = scanner.takeToken() {
                if !parameters.contains(name) { parameters.set(name, token) }
            } else {
                return nil
            }
        }
    }

    private init?(scheme: String, parameters: Parameters) {
        guard scheme.equalsIgnoringCase("Digest"), let realm = parameters.unquoted("realm"),
            let nonce = parameters.unquoted("nonce")
        else { return nil }
        self.scheme = scheme
        self.realm = realm
        self.nonce = nonce
        opaque = parameters.unquoted("opaque")
        isStale = parameters.unquoted("stale")?.equalsIgnoringCase("true") ?? false
        algorithm = DigestAlgorithm(name: parameters.unquoted("algorithm"))
        protections = parameters.unquoted("qop").map { list in
            list.asciiLowercased.utf8.split { $0 == UInt8(ascii: ",") || ByteClass.isBlank($0) }.map(\.text)
        }
        hashesUser = parameters.unquoted("userhash")?.equalsIgnoringCase("true") ?? false
    }

    /// "auth" or "auth-int"; nil without `qop`. `isUsable` says whether one is there at all.
    var protection: String? {
        guard let protections else { return nil }
        return protections.contains("auth") ? "auth" : protections.contains("auth-int") ? "auth-int" : nil
    }

    var isUsable: Bool { algorithm != nil && (protections == nil || protection != nil) }
}
