import SignallingTransport

/// A connection that this side has opened, and what its other side has shown.
public struct OpenedStream: Sendable, Hashable {
    /// `tcp` or `tls`.
    public var transport: String
    /// Numeric address and port of the other side.
    public var remote: String
    /// Of TLS: whose certificate it has, who vouches for that, and for how long; nil: none was shown.
    public var certificate: String?

    public init(transport: String, remote: String, certificate: String? = nil) {
        (self.transport, self.remote, self.certificate) = (transport, remote, certificate)
    }

    /// - Parameter now: seconds since 1970.
    init(_ connection: SignallingConnection, now: Int64) {
        self.init(
            transport: connection.transport.rawValue, remote: "\(connection.remote)",
            certificate: connection.certificate.map { shown in
                "\(shown.subject), issued by \(shown.issuer), \(shown.daysLeft(at: now)) days left"
            })
    }
}
