/// Certificates and versions. The peer's certificate is always verified; only a pinned fingerprint replaces that.
///
/// The files are read again when they have changed, so that a new certificate needs no restart.
public struct TLSSettings: Hashable, Sendable {
    public enum Version: String, Hashable, Sendable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    /// PEM file of the authorities that are trusted; nil: the system's.
    public var authorityFile: String?
    /// PEM file of this side's chain: shown to servers that ask for it, and to whoever connects to a TLS listener.
    public var certificateFile: String?
    /// PEM file of the key of `certificateFile`.
    public var keyFile: String?
    public var minimumVersion: Version
    /// SHA-256 of the DER form of the one certificate that is accepted from servers, 32 bytes. When it is set, names,
    /// issuers and dates are not looked at.
    public var pinnedFingerprint: [UInt8]?
    /// Whether a TLS listener demands a certificate of `authorityFile`'s authorities from its clients.
    public var requiresClientCertificate: Bool

    public init(
        authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        minimumVersion: Version = .tls12, pinnedFingerprint: [UInt8]? = nil, requiresClientCertificate: Bool = false
    ) {
        self.authorityFile = authorityFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.minimumVersion = minimumVersion
        self.pinnedFingerprint = pinnedFingerprint
        self.requiresClientCertificate = requiresClientCertificate
    }
}
