import SignallingTransport

/// Certificates of signalling by TLS. The other side's is always verified; only a pinned fingerprint takes the place of that.
/// The files are read again when they have changed.
public struct TransportSecurity: Sendable, Hashable {
    /// PEM file of the authorities that are trusted; nil: the system's.
    public var authorityFile: String?
    /// PEM files of this side's certificate chain and key: needed to be called by TLS, and shown to servers that ask.
    public var certificateFile: String?
    public var keyFile: String?
    /// SHA-256 of the one certificate that is accepted from servers, 32 bytes.
    public var pinnedFingerprint: [UInt8]?
    /// Nothing older than TLS 1.3 is spoken; false: than 1.2.
    public var needsVersion13 = false
    /// Who connects has to show a certificate of the trusted authorities too.
    public var requiresClientCertificate = false

    public init(
        authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        pinnedFingerprint: [UInt8]? = nil
    ) {
        self.authorityFile = authorityFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.pinnedFingerprint = pinnedFingerprint
    }

    var settings: TLSSettings {
        TLSSettings(
            authorityFile: authorityFile, certificateFile: certificateFile, keyFile: keyFile,
            minimumVersion: needsVersion13 ? .tls13 : .tls12, pinnedFingerprint: pinnedFingerprint,
            requiresClientCertificate: requiresClientCertificate)
    }
}
