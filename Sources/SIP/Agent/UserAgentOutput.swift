/// A question to the resolver: `UserAgent.resolved` answers it.
public struct ResolutionID: Hashable, Sendable {
    public let number: UInt64
}

/// One way to reach a URI, found by RFC 3263.
public struct ServerHop: Hashable, Sendable {
    public var transport: SignallingProtocol
    public var address: SignallingAddress
    /// TLS: the name that the certificate must have: the domain asked for, not an SRV target.
    public var serverName: String?
    /// The local address that packets to this hop leave from, if it is known.
    public var local: SignallingAddress?
    /// Hops of one rank may be tried in any order: their SRV records have one priority (RFC 2782). The least is tried first. It says
    /// when a hop is tried, not which one it is: hops of different ranks may be equal.
    public var rank = 0

    public init(
        transport: SignallingProtocol, address: SignallingAddress, serverName: String? = nil, local: SignallingAddress? = nil
    ) {
        self.transport = transport
        self.address = address
        self.serverName = serverName
        self.local = local
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.destination == other.destination && one.local == other.local
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(destination)
        hasher.combine(local)
    }

    /// Where a message to this hop goes.
    public var destination: SignallingDestination {
        SignallingDestination(transport: transport, address: address, serverName: serverName)
    }
}

/// What the user agent wants done. Outputs are carried out in order.
public enum UserAgentOutput: Sendable {
    /// One datagram, or octets of a stream.
    case send([UInt8], SignallingDestination)
    /// Find the hops of this URI in the order in which they are to be tried, and call `resolved`.
    case resolve(ResolutionID, SIPURI)
    /// Ask there by UDP, by a STUN Binding request, how we are seen, again until it is answered, and call `bindingAnswered`. It keeps
    /// a registration's way open (RFC 5626 section 4.4.2).
    case askBinding(SignallingAddress)
    /// The stream cannot be followed any more: close it.
    case close(SignallingConnectionID)
    case event(UserAgentEvent)
}
