/// The long-term credential mechanism (RFC 8489 section 9.2): what a challenge said, and what requests carry since.
struct TURNAuthentication: Hashable, Sendable {
    private let realm: [UInt8]
    private var nonce: [UInt8]
    private let username: String
    let key: STUNKey
    /// PASSWORD-ALGORITHMS as the server sent it, to be sent back; and the one that was chosen.
    private let offered: [UInt8]?
    private let algorithm: STUNKey.PasswordAlgorithm

    /// nil when the challenge has no realm or nonce, those are absurdly long, or it cannot be answered (RFC 8489 section 9.2.5): the
    /// nonce announces password algorithms and none that we know is offered, as when somebody on the way has taken them out.
    init?(challenge: STUNMessage, username: String, password: String) {
        guard let realm = challenge.value(.realm), let nonce = challenge.value(.nonce), realm.count <= 763, nonce.count <= 763
        else { return nil }
        self.realm = Array(realm)
        self.nonce = Array(nonce)
        self.username = username
        if Self.hasPasswordAlgorithms(self.nonce) {
            guard let offered = challenge.value(.passwordAlgorithms).map(Array.init), let chosen = Self.choose(offered) else {
                return nil
            }
            self.offered = offered
            algorithm = chosen
        } else {
            offered = nil
            algorithm = .md5
        }
        key = STUNKey(
            username: username, realm: String(decoding: realm, as: UTF8.self), password: password, algorithm: algorithm,
            integrity: offered == nil ? .sha1 : .sha256)
    }

    /// A nonce that begins so carries 24 bits of features, the highest for password algorithms (RFC 8489 section 9.2): who
    /// strips the attribute on the way cannot strip this too.
    private static func hasPasswordAlgorithms(_ nonce: [UInt8]) -> Bool {
        guard nonce.count >= 13, nonce.starts(with: "obMatJos2".utf8) else { return false }
        let first = String(decoding: nonce[9..<10], as: UTF8.self)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return first.first.flatMap { alphabet.firstIndex(of: $0) }.map { $0 & 0b10_0000 != 0 } ?? false
    }

    /// The first one that we know: the server's order is its preference.
    private static func choose(_ offered: [UInt8]) -> STUNKey.PasswordAlgorithm? {
        var position = 0
        while position + 4 <= offered.count {
            if let known = STUNKey.PasswordAlgorithm(rawValue: offered.unsigned16(at: position)) { return known }
            position += 4 + (Int(offered.unsigned16(at: position + 2)) + 3) / 4 * 4
        }
        return nil
    }

    /// Takes the nonce of a 438.
    mutating func renew(_ challenge: STUNMessage) -> Bool {
        guard let fresh = challenge.value(.nonce), fresh.count <= 763, !fresh.elementsEqual(nonce) else { return false }
        nonce = Array(fresh)
        return true
    }

    func add(to builder: inout STUNBuilder) {
        builder.add(.username, text: username)
        builder.add(.realm, realm)
        builder.add(.nonce, nonce)
        guard let offered else { return }
        builder.add(.passwordAlgorithms, offered)
        var chosen: [UInt8] = [0, 0, 0, 0]
        chosen.store(algorithm.rawValue, at: 0)
        builder.add(.passwordAlgorithm, chosen)
    }
}
