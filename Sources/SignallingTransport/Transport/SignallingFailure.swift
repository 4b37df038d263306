import SIP

/// Why bytes could not be sent, a stream not opened, or why it closed.
public enum SignallingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing listens there.
    case refused
    /// No answer to the connection request, or an unfinished TLS handshake, within `connectTimeout`.
    case timedOut
    /// No route, network down, interface gone; the system's words.
    case unreachable(String)
    /// This side has no socket of that transport and address family.
    case noSocket(SignallingProtocol, isV6: Bool)
    case notNumeric(String)
    /// No datagram reaches anybody there: port 0, everybody on the link, an address of a link without the link.
    case unsendable(SignallingAddress)
    /// A stream that its peer asked for by number is gone, and there is no address to open another one to.
    case noSuchConnection
    /// The peer closed the stream.
    case closedByPeer
    /// The peer reset the stream.
    case reset
    /// Nothing passed for `idleTime`, or nothing at all came for `silentTime`.
    case idle
    /// The peer takes nothing, and more than `queuedBytes` wait.
    case peerTooSlow
    /// The peer may not have another stream: `maximumInboundPerSource` or `maximumInbound`.
    case tooManyConnections
    /// A certificate that is not the expected one.
    case certificate(CertificateFailure, CertificateSummary?)
    /// The handshake failed for another reason: versions, ciphers, a client certificate that is missing.
    case handshake(String)
    /// A file of keys or certificates cannot be used.
    case credentials(String)
    /// This side closed it.
    case closedByUs
    /// The system's words.
    case system(String)

    public var description: String {
        switch self {
        case .refused: "the connection was refused: nothing listens there"
        case .timedOut: "no answer to the connection within the time set"
        case .unreachable(let words): "the network does not lead there (\(words))"
        case .noSocket(let transport, let isV6):
            "no \(transport.rawValue) socket for IPv\(isV6 ? 6 : 4) is bound: set an address to listen on"
        case .notNumeric(let host): "\(host) is no numeric address"
        case .unsendable(let address): "nothing can be sent to \(address)"
        case .noSuchConnection: "the connection is gone"
        case .closedByPeer: "the peer closed the connection"
        case .reset: "the peer reset the connection"
        case .idle: "nothing passed over the connection for too long"
        case .peerTooSlow: "the peer does not take what is sent"
        case .tooManyConnections: "too many connections from there"
        case .certificate(let failure, let summary):
            summary.map { "\(failure) (certificate of \($0.subject), issued by \($0.issuer))" } ?? failure.description
        case .handshake(let words): "TLS could not be agreed on (\(words))"
        case .credentials(let words): words
        case .closedByUs: "closed here"
        case .system(let words): words
        }
    }
}
