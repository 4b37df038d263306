/// A `sip:` or `sips:` URI, RFC 3261 section 19.1. Parts are kept as written, escapes included.
public struct SIPURI: Hashable, Sendable, CustomStringConvertible {
    public var isSecure: Bool
    /// nil when there is none. With its escapes; `userText` has them undone.
    public var user: String?
    public var password: String?
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public var host: String
    public var port: UInt16?
    public var parameters: Parameters
    /// `?name=value&...`: never obeyed unless a person has seen them.
    public var headers: [Parameters.Item]

    public init(
        isSecure: Bool = false, user: String? = nil, host: String, port: UInt16? = nil,
        parameters: Parameters = Parameters()
    ) {
        self.isSecure = isSecure
        self.user = user.map { PercentEscape.escaped($0, allowed: PercentEscape.isUserCharacter) }
        self.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self.port = port
        self.parameters = parameters
        headers = []
    }

    /// The host that requests to it go to, or that leads to where they do: `maddr` where there is one (RFC 3263 section 4).
    public var placeHost: String { parameters["maddr"] ?? host }

    init?(isSecure: Bool, rest: ArraySlice<UInt8>) {
        self.isSecure = isSecure
        var rest = rest
        // Neither host, parameters nor header fields can hold an "@": the first one ends the user part.
        if let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            let info = rest[..<at]
            let colon = info.firstIndex(of: UInt8(ascii: ":")) ?? at
            let name = info[..<colon]
            guard !name.isEmpty, PercentEscape.isWellFormed(info), !info.contains(ByteClass.quote) else { return nil }
            user = name.text
            if colon < at { password = info[(colon + 1)...].text }
            rest = rest[(at + 1)...]
        }
        var scanner = ByteScanner(rest)
        guard let (host, port) = HostPort.take(&scanner, allowSpace: false) else { return nil }
        self.host = host
        self.port = port
        parameters = Parameters()
        headers = []
        while scanner.take(UInt8(ascii: ";")) {
            let item = scanner.takeWhile { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "?") }
            guard let pair = Self.pair(item) else { return nil }
            parameters = Parameters(parameters.items + [pair])
        }
        if scanner.take(UInt8(ascii: "?")) {
            for item in scanner.rest.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
                guard let pair = Self.pair(item), pair.value != nil else { return nil }
                headers.append(pair)
            }
        } else if !scanner.isAtEnd {
            return nil
        }
    }

    private static func pair(_ item: ArraySlice<UInt8>) -> Parameters.Item? {
        guard !item.isEmpty, PercentEscape.isWellFormed(item), !item.contains(UInt8(ascii: ",")),
            !item.contains(ByteClass.quote)
        else { return nil }
        guard let equals = item.firstIndex(of: UInt8(ascii: "=")) else { return Parameters.Item(item.text, nil) }
        guard equals > item.startIndex else { return nil }
        return Parameters.Item(item[..<equals].text, item[(equals + 1)...].text)
    }

    public var text: String {
        var output = isSecure ? "sips:" : "sip:"
        if let user {
            output += user
            if let password { output += ":\(password)" }
            output += "@"
        }
        output += host
        if let port { output += ":\(port)" }
        output += parameters.text
        if !headers.isEmpty {
            output += "?" + headers.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
        }
        return output
    }

    public var description: String { text }

    /// The user part with escapes undone: for people, never for a comparison or a C string (it may hold a NUL).
    public var userText: String? { user.map { PercentEscape.unescaped($0).text } }

    /// Loose routing, RFC 3261 section 19.1.1.
    public var isLooseRoute: Bool { parameters.contains("lr") }

    /// Without the parameters and header fields that may not stand in To, From or a registrar's URI.
    public var addressOfRecord: SIPURI {
        var uri = self
        uri.parameters = Parameters()
        uri.headers = []
        uri.password = nil
        return uri
    }
}
