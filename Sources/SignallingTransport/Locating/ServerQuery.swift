import SIP

/// What is looked for: the parts of a SIP URI that say where its server is (RFC 3263 section 4).
public struct ServerQuery: Hashable, Sendable {
    /// A domain, a host name, or a numeric address (IPv6 with or without brackets).
    public var host: String
    public var port: UInt16?
    /// The `transport` parameter.
    public var transport: SignallingProtocol?
    /// The scheme is `sips`.
    public var isSecure: Bool

    public init(host: String, port: UInt16? = nil, transport: SignallingProtocol? = nil, isSecure: Bool = false) {
        self.host = host
        self.port = port
        self.transport = transport
        self.isSecure = isSecure
    }
}

/// Why no hop was found.
public enum LocationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name has no address.
    case unknownHost(String)
    /// A DNS record says that the domain has no such service.
    case noService(String)
    /// The server is only reached by transports or address families that this side has no socket for.
    case unsupported(String)
    /// A `sips` URI with a transport that cannot be secured.
    case notSecure
    case dns(String, DNSFailure)

    public var description: String {
        switch self {
        case .unknownHost(let host): "\(host) has no address"
        case .noService(let host): "\(host) says that it has no SIP service"
        case .unsupported(let host): "\(host) is only reached by transports or addresses that are not enabled here"
        case .notSecure: "sips needs TLS, not UDP"
        case .dns(let host, let failure): "\(host): \(failure)"
        }
    }
}
