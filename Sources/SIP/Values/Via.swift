/// One Via value, RFC 3261 section 20.42, with `rport` and `received` (RFC 3581).
public struct Via: Hashable, Sendable {
    /// What every branch of RFC 3261 begins with.
    public static let cookie = "z9hG4bK"

    /// "UDP", "TCP", "TLS" or anything else, as written.
    public var transport: String
    public var host: String
    public var port: UInt16?
    public var parameters: Parameters

    public init(transport: String, host: String, port: UInt16?, parameters: Parameters = Parameters()) {
        self.transport = transport
        self.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        self.port = port
        self.parameters = parameters
    }

    /// Lenient only to answer a request that is refused: empty parameters and what follows them are left out.
    init?(bytes: ArraySlice<UInt8>, lenient: Bool = false) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let name = scanner.takeToken(), name.equalsIgnoringCase("SIP"), scanner.takeSeparator(UInt8(ascii: "/")),
            scanner.takeToken() != nil, scanner.takeSeparator(UInt8(ascii: "/")), let transport = scanner.takeToken(),
            let space = scanner.current, ByteClass.isFoldingSpace(space)
        else { return nil }
        scanner.skipSpace()
        guard let (host, port) = HostPort.take(&scanner, allowSpace: true),
            let parameters = Parameters(&scanner, lenient: lenient)
        else { return nil }
        scanner.skipSpace()
        guard scanner.isAtEnd || lenient else { return nil }
        self.transport = transport
        self.host = host
        self.port = port
        self.parameters = parameters
    }

    public var text: String {
        "SIP/2.0/\(transport) \(host)\(port.map { ":\($0)" } ?? "")\(parameters.text)"
    }

    public var branch: String? { parameters["branch"] }

    /// The branch when it identifies a transaction: the cookie, and something behind it.
    public var transactionBranch: String? {
        guard let branch, branch.utf8.count > Self.cookie.utf8.count,
            branch.asciiLowercased.hasPrefix(Self.cookie.asciiLowercased)
        else { return nil }
        return branch
    }

    /// Where the request really came from, without brackets; both forms are read (RFC 5118 section 4.5).
    public var received: String? { parameters["received"].map(HostPort.bare) }

    /// The port that the server saw.
    public var responsePort: UInt16? { parameters["rport"].flatMap { UInt16($0) } }

    /// Host and port for comparisons, the port that is left out filled in.
    var sentBy: String {
        let implied: UInt16 = transport.equalsIgnoringCase("TLS") ? 5061 : 5060
        return "\(host.asciiLowercased):\(port ?? implied)"
    }
}
