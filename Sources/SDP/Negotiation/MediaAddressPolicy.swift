/// A numeric address and port to which media is sent.
public struct MediaEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// Numeric IPv4 or IPv6 address, without brackets.
    public var address: String
    public var port: UInt16

    public init(address: String, port: UInt16) {
        self.address = address
        self.port = port
    }

    public var description: String { address.utf8.contains(.colon) ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

/// Where media may be sent. Media goes to whatever address a description names, so that one must be checked before.
public struct MediaAddressPolicy: Hashable, Sendable {
    /// Whether the peer may name this machine itself: only when its signalling came from here.
    public var allowsLoopback: Bool
    /// Sockets of this machine that are no media: signalling, control, other calls.
    public var ownServices: Set<MediaEndpoint>

    public init(allowsLoopback: Bool = false, ownServices: Set<MediaEndpoint> = []) {
        self.allowsLoopback = allowsLoopback
        self.ownServices = ownServices
    }

    /// nil: media may be sent there. An unspecified address is none that could be sent to, and is allowed.
    public func refusal(of endpoint: MediaEndpoint) -> MediaAddressRefusal? {
        guard let address = NumericAddress(endpoint.address) else { return .notNumeric(endpoint.address) }
        if address.isMulticast { return .multicast(endpoint.address) }
        if address.isBroadcast { return .broadcast(endpoint.address) }
        if address.isThisNetwork { return .thisNetwork(endpoint.address) }
        if address.isLoopback && !allowsLoopback { return .loopback(endpoint.address) }
        let isOwn = ownServices.contains {
            $0.port == endpoint.port && NumericAddress($0.address) == address
        }
        return isOwn ? .ownService(endpoint) : nil
    }
}

/// Why media is not sent to an address.
public enum MediaAddressRefusal: Hashable, Sendable, CustomStringConvertible {
    case notNumeric(String)
    case multicast(String)
    case broadcast(String)
    /// 0.0.0.0/8.
    case thisNetwork(String)
    case loopback(String)
    case ownService(MediaEndpoint)
    /// An IPv6 address where this side has IPv4, or the reverse.
    case otherFamily(String)
    /// No `c=` line, or one that is not `IN IP4` or `IN IP6`.
    case noAddress

    public var description: String {
        switch self {
        case .notNumeric(let address): "\(address) is no numeric address"
        case .multicast(let address): "\(address) is a multicast address"
        case .broadcast(let address): "\(address) is a broadcast or reserved address"
        case .thisNetwork(let address): "\(address) is no address of a host"
        case .loopback(let address): "\(address) is this machine, and the peer is not on it"
        case .ownService(let endpoint): "\(endpoint) is a service of this machine"
        case .otherFamily(let address): "\(address) is not of the address family in use here"
        case .noAddress: "no c= line with an internet address"
        }
    }
}
