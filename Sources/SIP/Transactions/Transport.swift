/// How messages travel.
public enum TransportKind: String, Hashable, Sendable, CaseIterable {
    case udp, tcp, tls

    /// TCP and TLS: nothing is sent twice by a transaction's timers.
    public var isReliable: Bool { self != .udp }

    /// As Via writes it.
    public var viaName: String { rawValue.utf8.map { $0 & 0xDF }.text }

    public var defaultPort: UInt16 { self == .tls ? 5061 : 5060 }
}

/// A numeric address and a port.
public struct TransportAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4, or IPv6 without brackets.
    public var host: String
    public var port: UInt16

    public init(host: String, port: UInt16) {
        self.host = HostPort.bare(host)
        self.port = port
    }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A stream's number, given by whoever has the sockets.
public struct ConnectionID: Hashable, Sendable {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }
}

/// Where a packet came from, and over which socket.
public struct Source: Hashable, Sendable {
    public var transport: TransportKind
    public var remote: TransportAddress
    /// Of TCP and TLS only.
    public var connection: ConnectionID?

    public init(transport: TransportKind, remote: TransportAddress, connection: ConnectionID? = nil) {
        self.transport = transport
        self.remote = remote
        self.connection = connection
    }
}

/// Where octets go.
public struct Destination: Hashable, Sendable {
    public var transport: TransportKind
    public var address: TransportAddress
    /// The stream to use. When it is gone, or nil, a stream to `address` is found or opened.
    public var connection: ConnectionID?
    /// TLS: the name that the certificate must have (RFC 5922). nil only where `connection` is given.
    public var serverName: String?

    public init(
        transport: TransportKind, address: TransportAddress, connection: ConnectionID? = nil, serverName: String? = nil
    ) {
        self.transport = transport
        self.address = address
        self.connection = connection
        self.serverName = serverName
    }
}
