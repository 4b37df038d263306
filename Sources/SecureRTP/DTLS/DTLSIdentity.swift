import CDTLS
import Realtime

/// OpenSSL, loaded at the first identity.
enum DTLSLibrary {
    private static let missing: String? = {
        ProcessMemory.letGo(of: .start)
        return cdtls_load().map { String(cString: $0) }
    }()

    static func load() throws(DTLSFailure) {
        if let missing { throw .libraryMissing(missing) }
    }
}

/// Who we are in DTLS: a key, and a certificate that it signed itself. One is made at the start of a program (RFC 8826 section
/// 4.3.2 wants a new one for each caller who should not know the last one again); who is to be known again stores it.
///
/// Sendable: immutable after init, and OpenSSL counts references to its context by atomic operations.
public final class DTLSIdentity: @unchecked Sendable {
    let pointer: OpaquePointer
    /// What signalling announces.
    public let fingerprint: DTLSFingerprint
    /// The certificate (DER).
    public let certificate: [UInt8]

    /// A new ECDSA key on P-256, with a certificate for a month.
    public convenience init() throws(DTLSFailure) { try self.init(days: 30) }

    /// A new ECDSA key on P-256, with a certificate for `days` days.
    public convenience init(days: Int) throws(DTLSFailure) {
        try DTLSLibrary.load()
        guard (1...36_500).contains(days), let pointer = cdtls_identity_create(Int32(days)) else { throw .badIdentity }
        try self.init(pointer)
    }

    /// An identity that was stored: `key` and `certificate` of the same one.
    public convenience init(key: Secret, certificate: [UInt8]) throws(DTLSFailure) {
        try DTLSLibrary.load()
        let pointer = key.withUnsafeBytes { bytes in
            cdtls_identity_load(
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(bytes.count), certificate,
                Int32(certificate.count))
        }
        guard let pointer else { throw .badIdentity }
        try self.init(pointer)
    }

    private init(_ pointer: OpaquePointer) throws(DTLSFailure) {
        var certificate = [UInt8](repeating: 0, count: 16_384)
        let count = Int(cdtls_identity_certificate(pointer, &certificate, Int32(certificate.count)))
        certificate.removeLast(certificate.count - count)
        let fingerprint = certificate.withUnsafeBufferPointer { DTLSFingerprint(.sha256, of: $0) }
        guard count > 0, let fingerprint else {
            cdtls_identity_free(pointer)
            throw .badIdentity
        }
        self.pointer = pointer
        self.certificate = certificate
        self.fingerprint = fingerprint
        ProcessMemory.letGo(of: .identity)
    }

    deinit { cdtls_identity_free(pointer) }

    /// The private key, for a file that only its owner can read.
    public var key: Secret {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = Int(cdtls_identity_key(pointer, &bytes, Int32(bytes.count)))
        let key = Secret(bytes[..<count])
        bytes.withUnsafeMutableBytes { Secret.wipe($0) }
        return key
    }
}
