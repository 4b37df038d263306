import SIP

/// A stream that is open.
public struct SignallingConnection: Hashable, Sendable {
    public let id: SignallingConnectionID
    /// `tcp` or `tls`.
    public let transport: SignallingProtocol
    public let remote: SignallingAddress
    public let local: SignallingAddress
    /// The peer opened it.
    public let isInbound: Bool
    /// The name that was verified; nil for TCP, for inbound streams, and where the address itself was verified.
    public let serverName: String?
    /// What the other side of a TLS stream has shown.
    public let certificate: CertificateSummary?

    /// What an output to this stream carries.
    public var destination: SignallingDestination {
        SignallingDestination(transport: transport, address: remote, connection: id, serverName: serverName)
    }
}
