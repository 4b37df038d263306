/// Why a certificate is not accepted.
public enum CertificateFailure: Hashable, Sendable, CustomStringConvertible {
    /// It was issued for another name than the configured one.
    case wrongName(expected: String)
    /// No authority that is trusted has issued it.
    case unknownIssuer
    case selfSigned
    case expired
    case notYetValid
    /// It is not the one that was pinned.
    case notPinned
    /// The peer has shown none.
    case missing
    case malformed
    /// OpenSSL's words.
    case other(String)

    public var description: String {
        switch self {
        case .wrongName(let expected): "the certificate is not one for \(expected)"
        case .unknownIssuer: "the certificate's issuer is not trusted: name its CA file if you trust it"
        case .selfSigned: "the certificate is self-signed: pin its fingerprint if you trust it"
        case .expired: "the certificate has expired"
        case .notYetValid: "the certificate is not valid yet: look at this machine's clock"
        case .notPinned: "the certificate is not the one whose fingerprint is pinned"
        case .missing: "the peer shows no certificate"
        case .malformed: "the certificate cannot be read"
        case .other(let words): "the certificate is not accepted (\(words))"
        }
    }
}
