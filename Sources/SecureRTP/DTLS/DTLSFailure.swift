/// Why there is no DTLS association with the peer.
public enum DTLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The TLS library is missing or too old; what to install.
    case libraryMissing(String)
    /// Key and certificate are not what was stored, or no pair; or no key could be made.
    case badIdentity
    /// No suite was named that DTLS can agree upon (`SRTPSuite.dtlsProfile`).
    case noSuites
    /// The peer's certificate is not the one that signalling named (RFC 5763 section 5): somebody may be in the middle.
    case wrongFingerprint(DTLSFingerprint)
    /// The peer's key is too short to trust, or so long that it costs more than a call: its bits.
    case unsuitableKey(bits: Int)
    /// The peer offers none of our SRTP suites (RFC 5764 section 4.1.1), or no SRTP at all.
    case noCommonProfile
    /// Nothing has come from the peer in time.
    case unanswered
    /// The peer began, and did not finish in time.
    case incomplete
    /// The peer refused: its alert (RFC 5246 section 7.2). Nothing authenticates it.
    case refusedByPeer(alert: Int)
    /// What the peer sends is not DTLS as it should be; what the library says of it.
    case protocolError(String)

    /// Whether the peer is not who it should be.
    var isCertificate: Bool { if case .wrongFingerprint = self { true } else { false } }

    /// One line: what, and what to do where something can be done.
    public var description: String {
        switch self {
        case .libraryMissing(let what): what
        case .badIdentity: "the DTLS key and certificate cannot be used; have new ones made"
        case .noSuites: "none of the SRTP suites can be agreed upon by DTLS"
        case .wrongFingerprint(let actual): "the peer's certificate is not the one that was announced: it has \(actual)"
        case .unsuitableKey(let bits): "the peer's key of \(bits) bits is not acceptable"
        case .noCommonProfile: "the peer supports none of our SRTP suites"
        case .unanswered: "the peer does not answer the DTLS handshake"
        case .incomplete: "the DTLS handshake was not finished in time"
        case .refusedByPeer(let alert): "the peer refused the DTLS handshake (alert \(alert))"
        case .protocolError(let what): "the DTLS handshake failed: \(what)"
        }
    }
}
