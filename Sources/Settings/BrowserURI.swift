import Link

/// Where the call of a browser is waited for: `http://ADDRESS[:PORT][/]`, or `https://`.
public struct BrowserURI: Sendable, Hashable {
    /// An address of this machine.
    public let address: IPAddress
    /// TCP port; 0 lets the system choose.
    public let port: UInt16
    /// Whether it is `https`, with a certificate.
    public let isSecure: Bool

    /// What URIs begin with, and the port where none is written.
    private static let schemes: [(text: String, port: UInt16)] = [("http://", 80), ("https://", 443)]

    /// Whether a URI is one of these, right or wrong.
    /// - Parameter uri: as it was typed.
    public static func isMeant(by uri: String) -> Bool { scheme(of: uri) != nil }

    private static func scheme(of uri: String) -> (text: String, port: UInt16)? {
        let lower = uri.lowercased()
        return schemes.first { lower.hasPrefix($0.text) }
    }

    /// Reads a URI strictly: nothing is guessed and nothing is ignored.
    /// - Parameter uri: as it was typed.
    /// - Throws: what is wrong with it.
    public init(parsing uri: String) throws(SettingsError) {
        func fail(_ reason: String) -> SettingsError {
            .invalidValue(
                name: "the URI", value: uri, source: "the command line",
                expected: "http://ADDRESS[:PORT]/ or https://ADDRESS[:PORT]/ (\(reason))")
        }
        guard let scheme = Self.scheme(of: uri) else { throw fail("neither http:// nor https:// in front") }
        var authority = uri.dropFirst(scheme.text.count)
        if authority.hasSuffix("/") { authority.removeLast() }
        if authority.contains("?") || authority.contains("#") { throw fail("nothing is asked for by ? or # here; use options") }
        let (host, port) = try CallURI.parseAuthority(authority, defaultPort: scheme.port, fail)
        guard let address = try? IPAddress(host) else {
            throw fail("'\(host)' is no address; give one of this machine, such as 127.0.0.1")
        }
        (self.address, self.port, isSecure) = (address, port, scheme.text == "https://")
    }
}
