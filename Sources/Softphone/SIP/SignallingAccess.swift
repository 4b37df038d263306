import Settings
import Signalling

/// How the servers of calls by SIP are found and trusted.
public struct SignallingAccess: Sendable, Hashable {
    /// Certificates of TLS.
    public var security = TransportSecurity()
    /// Name servers as `ADDRESS[:PORT]`; empty: the system's.
    public var nameServers: [String] = []

    /// The system's authorities and name servers.
    public init() {}

    /// As the configuration says.
    public init(_ configuration: Configuration) throws(SoftphoneError) {
        nameServers = configuration[\.network.dns].map(\.description)
        security = TransportSecurity(
            authorityFile: configuration[\.tls.authorities], certificateFile: configuration[\.tls.certificate],
            keyFile: configuration[\.tls.key], pinnedFingerprint: configuration[\.tls.pin]?.octets)
        security.needsVersion13 = configuration[\.tls.minimum] == .tls13
        security.requiresClientCertificate = configuration[\.tls.clients]
        switch (security.certificateFile, security.keyFile) {
        case (nil, nil), (_?, _?): break
        case (let certificate?, nil):
            throw .request("the certificate \(certificate) needs its key; name the file with tls.key")
        case (nil, let key?):
            throw .request("the key \(key) needs its certificate; name the file with tls.certificate")
        }
    }

    /// Where TLS is listened for: whoever has a certificate can be called by it, at the port after the others'.
    func listeners(_ places: [SignallingConfiguration.Listener]) -> [SignallingConfiguration.Listener] {
        guard security.certificateFile != nil else { return places }
        return places
            + places.filter { $0.way == .tcp }.map { .init(.tls, address: $0.address, port: $0.port == 0 ? 0 : $0.port &+ 1) }
    }
}

extension SignallingConfiguration {
    mutating func take(_ access: SignallingAccess) {
        security = access.security
        nameServers = access.nameServers
    }
}
