import Link

/// Where a server is: `http://` or `https://`, a host, and a path.
package struct WebAddress: Sendable, Equatable {
    package let isEncrypted: Bool
    /// A name or an address, without brackets.
    package let host: String
    package let port: Int
    /// With the query.
    package let path: String

    /// - Returns: `nil` for what is no such URL; one with a user, a fragment or other characters than printable ASCII is none.
    package init?(_ url: String) {
        guard let match = url.wholeMatch(of: #/(https?):\/\/(\[[0-9A-Fa-f:.]+\]|[^\/?#:@\[\]]+)(?::(\d{1,5}))?([\/?].*)?/#),
            url.utf8.allSatisfy({ (33...126).contains($0) }), !url.contains("#")
        else { return nil }
        isEncrypted = match.1 == "https"
        host = match.2.hasPrefix("[") ? String(match.2.dropFirst().dropLast()) : String(match.2)
        port = match.3.flatMap { Int($0) } ?? (isEncrypted ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        let rest = String(match.4 ?? "/")
        path = rest.hasPrefix("/") ? rest : "/" + rest
    }

    /// As the `Host` field has it.
    package var authority: String {
        (host.contains(":") ? "[\(host)]" : host) + (port == (isEncrypted ? 443 : 80) ? "" : ":\(port)")
    }

    /// Without path and query, which may hold a secret.
    package var text: String { "\(isEncrypted ? "https" : "http")://\(authority)" }

    /// No address is a name that a certificate is asked for by (RFC 6066 section 3).
    package static func serverName(of host: String) -> String? { (try? IPAddress(host)) == nil ? host : nil }

    /// The name that its certificate is asked for by.
    var serverName: String? { Self.serverName(of: host) }
}
