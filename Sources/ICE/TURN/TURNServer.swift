import Link

/// How a TURN server is reached (RFC 8656 section 3.1). What it relays travels by UDP beyond it, whatever the way to it.
public enum TURNTransport: String, Hashable, Sendable, CaseIterable {
    case udp, tcp, tls

    /// Nothing is lost or overtaken on the way to the server, and nothing is repeated.
    public var isStream: Bool { self != .udp }
}

/// A TURN server and who we are to it. The password never prints.
public struct TURNServer: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public var address: SocketAddress
    public var transport: TURNTransport
    /// The name that the certificate must have, with TLS; nil: the numeric address.
    public var name: String?
    public var username: String
    let password: String
    /// Asks for an IPv6 address too, besides the one of IPv4 (RFC 8656 section 7.1). A server that knows nothing of it gives
    /// the one only.
    public var wantsIPv6: Bool

    public init(
        address: SocketAddress, transport: TURNTransport = .udp, name: String? = nil, username: String, password: String,
        wantsIPv6: Bool = true
    ) {
        self.address = address
        self.transport = transport
        self.name = name
        self.username = username
        self.password = password
        self.wantsIPv6 = wantsIPv6
    }

    /// Which server it is, and by which way.
    public var id: ServerID { ServerID(address, transport) }

    public var description: String { "turn:\(id)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A server, and the way to it: the same one may answer by TCP and not by UDP.
public struct ServerID: Hashable, Sendable, CustomStringConvertible {
    public let address: SocketAddress
    public let transport: TURNTransport

    public init(_ address: SocketAddress, _ transport: TURNTransport = .udp) {
        self.address = address
        self.transport = transport
    }

    public var description: String {
        transport == .udp ? "\(address)" : "\(address) by \(transport.rawValue.uppercased())"
    }
}
