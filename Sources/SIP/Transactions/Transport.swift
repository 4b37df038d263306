import Link

/// How signalling travels.
public enum SignallingProtocol: String, Hashable, Sendable, CaseIterable {
    case udp, tcp, tls

    /// TCP and TLS: nothing is sent twice by a transaction's timers.
    public var isStream: Bool { self != .udp }

    /// As Via writes it.
    public var viaName: String { rawValue.utf8.map { $0 & 0xDF }.text }

    /// RFC 3261 section 19.1.2.
    public var defaultPort: UInt16 { self == .tls ? 5061 : 5060 }
}

/// A numeric address and a port.
public struct SignallingAddress: Hashable, Sendable, CustomStringConvertible {
    /// IPv4, or IPv6 without brackets in the short form of RFC 5952.
    public let host: String
    public let port: UInt16

    /// - Parameter host: brackets around an IPv6 address are taken off. However it is written, it becomes the form in which
    ///   packets show it, so that both compare equal; one that maps an IPv4 address becomes that one.
    public init(host: String, port: UInt16) {
        let bare = HostPort.bare(host)
        let isV6 = bare.utf8.contains(UInt8(ascii: ":"))
        self.host = isV6 ? ((try? IPAddress(bare))?.description ?? bare) : bare
        self.port = port
    }

    public var isV6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    public var description: String { isV6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// A stream's number, given by whoever has the sockets; none is used twice.
public struct SignallingConnectionID: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) { self.number = number }
}

/// Where octets came from, and over what.
public struct SignallingSource: Hashable, Sendable {
    public var transport: SignallingProtocol
    public var remote: SignallingAddress
    /// The address that the peer sent to: for a socket bound to all addresses, the one of this packet. nil: not known.
    public var local: SignallingAddress?
    /// Of TCP and TLS only.
    public var connection: SignallingConnectionID?

    public init(
        transport: SignallingProtocol, remote: SignallingAddress, local: SignallingAddress? = nil,
        connection: SignallingConnectionID? = nil
    ) {
        self.transport = transport
        self.remote = remote
        self.local = local
        self.connection = connection
    }
}

/// Where octets go.
public struct SignallingDestination: Hashable, Sendable {
    public var transport: SignallingProtocol
    public var address: SignallingAddress
    /// The stream to use. When it is nil or gone, one to `address` is found or opened.
    public var connection: SignallingConnectionID?
    /// TLS: the name that the certificate must have: the domain that was configured or dialled, never an SRV target
    /// (RFC 5922). nil: the certificate must have the numeric address.
    public var serverName: String?
    /// UDP: the address of this machine that it leaves from, as an answer must (RFC 3581 section 4); nil: the route's.
    public var local: SignallingAddress?

    public init(
        transport: SignallingProtocol, address: SignallingAddress, connection: SignallingConnectionID? = nil,
        serverName: String? = nil, local: SignallingAddress? = nil
    ) {
        self.transport = transport
        self.address = address
        self.connection = connection
        self.serverName = serverName
        self.local = local
    }
}
