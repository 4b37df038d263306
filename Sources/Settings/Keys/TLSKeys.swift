import Link

/// Certificates of signalling by TLS: whom we trust, and who we are.
public struct TLSKeys: ConfigurationSection {
    public static let name = "tls"
    public static let title = "TLS"
    public static let refused = [
        "verify": "certificates are always verified; where a server has one of its own, name its fingerprint with pin"
    ]

    public let authorities = ConfigurationKey(
        "tls_ca", .text("file"), unset: "the system's",
        help: "PEM file of the authorities that certificates of the other side may be from; they are always verified")
    public let certificate = ConfigurationKey(
        "tls_certificate", .text("file"), unset: "none",
        help: "PEM file of our own certificate and its chain: for who calls by sips:, and for servers that ask for one")
    public let key = ConfigurationKey(
        "tls_key", .text("file"), unset: "none", help: "PEM file of the key of our certificate, without a passphrase")
    public let minimum = ConfigurationKey(
        "tls_minimum", ValueForm<TLSVersion>.cases("version"), default: .tls12, help: "Oldest version of TLS that is spoken")
    public let pin = ConfigurationKey(
        "tls_pin", .fingerprint, unset: "names, issuers and dates count",
        help: "The one certificate that servers may show, whatever it says: its SHA-256 fingerprint")
    public let clients = ConfigurationKey(
        "tls_clients", .toggle, default: false,
        help: "Whoever calls by sips: has to show a certificate of those authorities too")

    public init() {}
}

/// A version of TLS.
public enum TLSVersion: String, Sendable, CaseIterable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}

/// The SHA-256 of a certificate's DER form.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// 32 octets.
    public let octets: [UInt8]

    /// Reads 64 hexadecimal digits, with or without colons between the octets; nil: it is none.
    public init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        octets = stride(from: 0, to: 64, by: 2).map { UInt8(16 * (digits[$0] ?? 0) + (digits[$0 + 1] ?? 0)) }
    }

    /// `AB:CD:...`, as `openssl x509 -fingerprint -sha256` prints it.
    public var description: String { octets.colonHex }
}

extension ValueForm where Value == CertificateFingerprint {
    /// A fingerprint as OpenSSL prints it.
    static var fingerprint: ValueForm {
        ValueForm(
            placeholder: "sha256", expectation: "a SHA-256 fingerprint: 64 hexadecimal digits, with or without colons",
            parse: { CertificateFingerprint($0) }, write: { $0.description })
    }
}
