/// What a certificate says of itself; nothing of it is verified by being here.
public struct CertificateSummary: Hashable, Sendable {
    /// `/C=DE/O=Example/CN=sip.example.com`, with what is not printable as `\xNN`.
    public let subject: String
    public let issuer: String
    /// Seconds since 1970.
    public let notBefore: Int64
    /// Seconds since 1970.
    public let notAfter: Int64
    /// SHA-256 of the DER form, 32 bytes.
    public let fingerprint: [UInt8]

    /// Whole days until it expires; negative when it has expired. `now`: seconds since 1970.
    public func daysLeft(at now: Int64) -> Int {
        let seconds = notAfter - now
        return Int(seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400))
    }

    /// `AB:CD:...`, as `openssl x509 -fingerprint -sha256` prints it.
    public var fingerprintText: String {
        let digits = Array("0123456789ABCDEF")
        return fingerprint.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined(separator: ":")
    }
}
