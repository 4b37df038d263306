import CDTLS
import Link

/// The hash of a certificate, as signalling announces it (RFC 8122 section 5).
public struct DTLSFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// Hash functions that are accepted. SHA-1 and older ones are not (RFC 8122 section 5 allows to leave them out).
    public enum Hash: String, Hashable, Sendable, CaseIterable {
        case sha256 = "sha-256"
        case sha384 = "sha-384"
        case sha512 = "sha-512"

        /// Bytes of a hash.
        public var length: Int {
            switch self {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }

        fileprivate var number: Int32 {
            switch self {
            case .sha256: Int32(CDTLS_SHA256)
            case .sha384: Int32(CDTLS_SHA384)
            case .sha512: Int32(CDTLS_SHA512)
            }
        }
    }

    public let hash: Hash
    /// The hash, `hash.length` bytes.
    public let bytes: [UInt8]

    /// - Returns: nil when `bytes` has not the length of the hash.
    public init?(_ hash: Hash, _ bytes: [UInt8]) {
        guard bytes.count == hash.length else { return nil }
        self.hash = hash
        self.bytes = bytes
    }

    /// Parses the value of `a=fingerprint`: `sha-256 4A:AD:...`, in upper or lower case.
    /// - Returns: nil for other hash functions, and for what is no fingerprint.
    public init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let hash = Hash(rawValue: parts[0].lowercased()) else { return nil }
        let pairs = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == hash.length else { return nil }
        var bytes: [UInt8] = []
        for pair in pairs {
            guard pair.utf8.count == 2, pair.allSatisfy(\.isHexDigit), let byte = UInt8(pair, radix: 16) else { return nil }
            bytes.append(byte)
        }
        self.init(hash, bytes)
    }

    /// The fingerprint of a certificate (DER).
    /// - Returns: nil when OpenSSL is missing; whoever has a `DTLSIdentity` has it.
    public init?(_ hash: Hash, of certificate: [UInt8]) {
        guard (try? DTLSLibrary.load()) != nil else { return nil }
        guard let own = certificate.withUnsafeBufferPointer({ DTLSFingerprint(hash, of: $0) }) else { return nil }
        self = own
    }

    init?(_ hash: Hash, of certificate: UnsafeBufferPointer<UInt8>) {
        var bytes = [UInt8](repeating: 0, count: Int(CDTLS_DIGEST_MAX))
        let count = cdtls_digest(hash.number, certificate.baseAddress, Int32(certificate.count), &bytes)
        self.init(hash, Array(bytes.prefix(Int(count))))
    }

    /// `sha-256 4A:AD:...`, as `a=fingerprint` has it.
    public var description: String { "\(hash.rawValue) \(bytes.colonHex)" }
}
