import NIOCore
import SIP

/// What requests to a peer look for in the table of streams. A TLS stream is good for the name it was verified for.
struct StreamKey: Hashable {
    let transport: SignallingProtocol
    let address: SignallingAddress
    let serverName: String?
}

/// A TCP or TLS stream, from the first attempt on.
final class Stream {
    let id: SignallingConnectionID
    let transport: SignallingProtocol
    let remote: SignallingAddress
    let serverName: String?
    let isInbound: Bool
    var channel: (any Channel)?
    /// What is told about it once it is open.
    var opened: SignallingConnection?
    /// What waits until it is open.
    var queue: [[UInt8]] = []
    var queuedBytes = 0
    /// What the other side has shown.
    var certificate: CertificateSummary?
    /// The reason found first; what the socket says later is its consequence.
    var failure: SignallingFailure?
    /// Ends the handshake, or an inbound stream that never says anything.
    var deadline: Scheduled<Void>?

    init(
        id: SignallingConnectionID, transport: SignallingProtocol, remote: SignallingAddress, serverName: String?,
        isInbound: Bool
    ) {
        self.id = id
        self.transport = transport
        self.remote = remote
        self.serverName = serverName
        self.isInbound = isInbound
    }

    var destination: SignallingDestination {
        SignallingDestination(transport: transport, address: remote, connection: id, serverName: serverName)
    }
}
