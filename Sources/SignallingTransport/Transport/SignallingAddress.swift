import NIOCore

/// How signalling travels.
public enum SignallingProtocol: String, Hashable, Sendable, CaseIterable {
    case udp, tcp, tls

    /// TCP and TLS.
    public var isStream: Bool { self != .udp }

    /// RFC 3261 section 19.1.2.
    public var defaultPort: UInt16 { self == .tls ? 5061 : 5060 }
}

/// A numeric address and a port.
public struct SignallingAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4, or IPv6 without brackets. An IPv6 address that maps an IPv4 one is written as that one.
    public let host: String
    public let port: UInt16

    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// nil: not an internet address.
    init?(_ address: SocketAddress?) {
        guard let address, let text = address.ipAddress, let port = address.port else { return nil }
        let mapped = "::ffff:"
        let host = text.hasPrefix(mapped) && text.contains(".") ? String(text.dropFirst(mapped.count)) : text
        self.init(host: host, port: UInt16(clamping: port))
    }

    public var isV6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    public var description: String { isV6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    func socketAddress() throws(SignallingFailure) -> SocketAddress {
        do { return try SocketAddress(ipAddress: host, port: Int(port)) } catch { throw .notNumeric(host) }
    }
}

/// A stream's number within a `SignallingTransport`; none is used twice.
public struct SignallingConnectionID: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }
}

/// Where bytes came from, and over what.
public struct SignallingSource: Hashable, Sendable {
    public let transport: SignallingProtocol
    public let remote: SignallingAddress
    /// The address that the peer sent to: for a socket bound to all addresses, the one of this packet.
    public let local: SignallingAddress
    /// TCP and TLS only.
    public let connection: SignallingConnectionID?
}

/// Where bytes go.
public struct SignallingDestination: Hashable, Sendable {
    public var transport: SignallingProtocol
    public var address: SignallingAddress
    /// The stream to use. When it is nil or gone, one to `address` is found or opened.
    public var connection: SignallingConnectionID?
    /// TLS: the name that the certificate must have: the domain that was configured or dialled, never an SRV target
    /// (RFC 5922). nil: the certificate must have the numeric address.
    public var serverName: String?

    public init(
        transport: SignallingProtocol, address: SignallingAddress, connection: SignallingConnectionID? = nil,
        serverName: String? = nil
    ) {
        self.transport = transport
        self.address = address
        self.connection = connection
        self.serverName = serverName
    }
}
