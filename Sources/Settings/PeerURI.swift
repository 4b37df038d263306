/// Somebody who is called without a server, encrypted: `yodel://HOST[:PORT]`; or where such calls are waited for.
public struct PeerURI: Sendable, Hashable {
    /// Where nobody says another port: Y-O-D-E on a telephone's keys.
    public static let defaultPort: UInt16 = 9633
    private static let scheme = "yodel://"

    /// Name or address, in lower case; IPv6 without its brackets.
    public var host: String
    /// UDP port of everything; 0 (listening only) lets the system choose.
    public var port: UInt16

    /// Whether `uri` is one of these, right or wrong.
    public static func isMeant(by uri: String) -> Bool { uri.lowercased().hasPrefix(scheme) }

    /// Reads a URI strictly: nothing is guessed and nothing is ignored.
    public init(parsing uri: String, role: CallURI.Role) throws(SettingsError) {
        func fail(_ reason: String) -> SettingsError { .malformedURI(uri: uri, reason: reason) }
        guard Self.isMeant(by: uri) else { throw fail("no \(Self.scheme) in front") }
        var authority = uri.dropFirst(Self.scheme.count)
        if authority.contains("?") { throw fail("nothing is asked for by ? here; use options") }
        if authority.hasSuffix("/") { authority.removeLast() }
        let (host, port) = try CallURI.parseAuthority(authority, defaultPort: Self.defaultPort, fail)
        if port == 0 && role == .call { throw fail("port 0 cannot be called") }
        (self.host, self.port) = (host.lowercased(), port)
    }

    /// `HOST:PORT`, by which a peer is remembered.
    public var name: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
