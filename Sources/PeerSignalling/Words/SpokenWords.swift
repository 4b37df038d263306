import SecureRTP

/// Twelve words that two people read to each other to find out whether somebody sits between them: each side's words are made of both
/// certificates, as it sees them, and only agree where nobody has replaced one.
///
/// They are 96 bits of a hash that is made 65,536 times over. The handshake commits to nothing, so somebody in the middle
/// may look for two keys of his own whose words agree: that costs him 2^48 tries of 2^16 hashes each.
public enum SpokenWords {
    /// Words there are.
    public static let count = 12
    static let rounds = 65_536
    /// All of them, a word for each byte.
    package static let list = WordList.words

    /// The words of an association, the same for both sides. Takes some hundredths of a second.
    /// - Returns: nil where the hash is missing; whoever has a `DTLSIdentity` has it.
    public static func words(_ one: DTLSFingerprint, _ other: DTLSFingerprint) -> [String]? {
        let (first, second) = one.bytes.lexicographicallyPrecedes(other.bytes) ? (one, other) : (other, one)
        let both = Array("yodel words 1".utf8) + first.bytes + second.bytes
        var hash = both
        for _ in 0..<rounds {
            guard let next = DTLSFingerprint(.sha256, of: hash + both) else { return nil }
            hash = next.bytes
        }
        return hash.prefix(count).map { WordList.words[Int($0)] }
    }
}
