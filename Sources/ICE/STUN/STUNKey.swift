import Crypto

/// What MESSAGE-INTEGRITY is keyed with (RFC 8489 section 9). It never prints.
public struct STUNKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Which attribute carries the code.
    public enum Integrity: Hashable, Sendable {
        /// MESSAGE-INTEGRITY, HMAC-SHA1. What ICE uses (RFC 8445 section 7.1).
        case sha1
        /// MESSAGE-INTEGRITY-SHA256.
        case sha256
    }

    /// How a long-term key follows from the password (RFC 8489 section 18.5).
    public enum PasswordAlgorithm: UInt16, Hashable, Sendable {
        case md5 = 1
        case sha256 = 2
    }

    private let key: SymmetricKey
    public let integrity: Integrity

    /// The short-term key is the password itself.
    public init(shortTerm password: String, integrity: Integrity = .sha1) {
        key = SymmetricKey(data: Array(password.utf8))
        self.integrity = integrity
    }

    /// The long-term key is a hash of `username:realm:password`. Texts are used as given: prepare what is not ASCII by
    /// RFC 8265 before.
    public init(
        username: String, realm: String, password: String, algorithm: PasswordAlgorithm = .md5, integrity: Integrity = .sha1
    ) {
        let text = Array("\(username):\(realm):\(password)".utf8)
        key =
            switch algorithm {
            case .md5: SymmetricKey(data: Array(Insecure.MD5.hash(data: text)))
            case .sha256: SymmetricKey(data: Array(SHA256.hash(data: text)))
            }
        self.integrity = integrity
    }

    /// The authentication code over `header` and `rest`.
    func code(_ header: [UInt8], _ rest: ArraySlice<UInt8>, _ integrity: Integrity) -> [UInt8] {
        switch integrity {
        case .sha1: Self.code(HMAC<Insecure.SHA1>(key: key), header, rest)
        case .sha256: Self.code(HMAC<SHA256>(key: key), header, rest)
        }
    }

    private static func code<H: HashFunction>(_ start: HMAC<H>, _ header: [UInt8], _ rest: ArraySlice<UInt8>) -> [UInt8] {
        var mac = start
        mac.update(data: header)
        mac.update(data: rest)
        return Array(mac.finalize())
    }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

    public static func == (left: STUNKey, right: STUNKey) -> Bool {
        left.key == right.key && left.integrity == right.integrity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(integrity)
    }
}
