import Crypto
import CryptoExtras

/// Hashes of digest authentication, RFC 7616 section 3.3 and RFC 8760.
public struct DigestAlgorithm: Hashable, Sendable {
    public enum Hash: Hashable, Sendable {
        case md5, sha256, sha512t256
    }

    public let hash: Hash
    /// The `-sess` form: the hash of the password is bound to nonce and cnonce.
    public let isSession: Bool
    /// As the server wrote it.
    public let name: String

    /// nil for an algorithm that is not known. An absent name means MD5.
    init?(name: String?) {
        self.name = name ?? "MD5"
        let small = self.name.asciiLowercased
        isSession = small.hasSuffix("-sess")
        switch isSession ? String(small.dropLast(5)) : small {
        case "md5": hash = .md5
        case "sha-256": hash = .sha256
        case "sha-512-256": hash = .sha512t256
        default: return nil
        }
    }

    /// MD5 is used only where nothing better is offered.
    var isWeak: Bool { hash == .md5 }

    /// The hash of `bytes` in small hexadecimal digits.
    func hexadecimal(_ bytes: [UInt8]) -> String {
        switch hash {
        case .md5: Self.hexadecimal(of: Insecure.MD5.hash(data: bytes))
        case .sha256: Self.hexadecimal(of: SHA256.hash(data: bytes))
        case .sha512t256: Self.hexadecimal(of: SHA512256.hash(data: bytes))
        }
    }

    private static func hexadecimal(of digest: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }.text
    }
}
