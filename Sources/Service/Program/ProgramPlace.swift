import Link

/// Where a program is that is connected to: a WebSocket's URL.
struct ProgramPlace: Sendable, Equatable {
    let url: String
    let host: String
    let port: Int
    let isEncrypted: Bool
    /// With the query.
    let path: String

    /// - Parameters:
    ///   - url: `ws://HOST[:PORT][/PATH]` or `wss://...` (RFC 6455 section 3).
    ///   - allowed: what the URL must begin with, one of them.
    ///   - field: of the request, for messages.
    init(_ url: String, allowed: [String], field: String) throws(Problem) {
        guard !allowed.isEmpty else {
            throw .badField(
                field, "no program is configured as an audio end; set softphone.programs to what its URL begins with")
        }
        guard allowed.contains(where: { Self.isBelow(url, $0) }) else {
            throw .badField(field, "the URL begins with none of softphone.programs; use one of those")
        }
        let isEncrypted = url.hasPrefix("wss://")
        guard isEncrypted || url.hasPrefix("ws://") else {
            throw .badField(field, "'\(url.prefix(80))' is no URL of a WebSocket; write ws://HOST:PORT/PATH or wss://...")
        }
        let rest = url.dropFirst(isEncrypted ? 6 : 5)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        guard let (host, port) = Self.authority(rest[..<end]), !rest.contains("#"),
            rest.utf8.allSatisfy({ (33...126).contains($0) })
        else {
            throw .badField(field, "'\(url.prefix(80))' names no host and port; write ws://HOST:PORT/PATH")
        }
        (self.url, self.isEncrypted, self.host) = (url, isEncrypted, host)
        self.port = port ?? (isEncrypted ? 443 : 80)
        let path = String(rest[end...])
        self.path = path.hasPrefix("/") ? path : "/" + path
        guard !Self.climbs(self.path) else {
            throw .badField(field, "'\(url.prefix(80))' has '.' or '..' in its path; write the path itself")
        }
    }

    /// Whether a path has dot segments, however they are written: it would leave what it begins with (RFC 3986 section 5.2.4).
    private static func climbs(_ path: String) -> Bool {
        var path = String(path.prefix { $0 != "?" }).lowercased()
        for (written, meant) in [("%2e", "."), ("%2f", "/"), ("%5c", "/"), ("\\", "/")] {
            path = path.replacing(written, with: meant)
        }
        return path.split(separator: "/").contains { [".", ".."].contains($0.prefix { $0 != ";" }) }
    }

    /// Whether a URL begins with another one. A host that is named to its end, and a port, are that host and that port alone:
    /// `wss://bots.example.com` is no beginning of `wss://bots.example.com.evil.example/`, though its letters are.
    private static func isBelow(_ url: String, _ beginning: String) -> Bool {
        guard url.hasPrefix(beginning) else { return false }
        let place = beginning.firstRange(of: "://").map { beginning[$0.upperBound...] } ?? ""
        guard let last = place.last, last != ".", !place.contains(where: { $0 == "/" || $0 == "?" }) else { return true }
        guard let next = url.dropFirst(beginning.count).first else { return true }
        // Behind the brackets of an IPv6 address, or a name.
        let hasPort = place.drop { $0 != "]" }.contains(":") || !place.hasPrefix("[") && place.contains(":")
        return next == "/" || next == "?" || next == ":" && !hasPort
    }

    /// Host and port, an IPv6 address in brackets.
    private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            (host, rest) = (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
        } else if let colon = text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard !host.isEmpty, !host.contains("@") else { return nil }
        if rest.isEmpty { return (String(host), nil) }
        guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }
}
