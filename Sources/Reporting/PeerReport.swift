/// Who is at the other end of a call from person to person (`yodel://`), and what is known of him.
public struct PeerReport: Sendable, Equatable {
    public enum State: String, Sendable {
        /// His certificate is the one that was remembered.
        case known
        /// Nothing was known of him; he is remembered from now on.
        case new
        /// Nothing is known of him, and somebody is asked.
        case unknown
        /// Nothing is known of him, and nobody can be asked.
        case refused
        /// The name has another certificate than the one that was remembered.
        case changed
    }

    public var state: State
    /// As he was called; of a caller `@` and his address, or the name that he is known by.
    public var name: String
    public var address: String?
    /// His certificate, and ours (SHA-256).
    public var fingerprint: String
    public var ownFingerprint: String
    /// What was remembered, where it has changed.
    public var expectedFingerprint: String?
    /// To be compared by voice: the same on both ends, unless somebody is between them.
    public var words: [String]
    /// Other names with this certificate.
    public var otherNames: [String] = []

    public init(
        _ state: State, name: String, address: String?, fingerprint: String, ownFingerprint: String, words: [String]
    ) {
        (self.state, self.name, self.address) = (state, name, address)
        (self.fingerprint, self.ownFingerprint, self.words) = (fingerprint, ownFingerprint, words)
    }

    var members: [JSONMember] {
        [
            JSONMember("state", .string(state.rawValue)), JSONMember("name", .string(name)),
            JSONMember("address", address.map { .string($0) } ?? .null), JSONMember("fingerprint", .string(fingerprint)),
            JSONMember("own_fingerprint", .string(ownFingerprint)),
            JSONMember("expected_fingerprint", expectedFingerprint.map { .string($0) } ?? .null),
            JSONMember("words", .string(words.joined(separator: " "))),
            JSONMember("other_names", .array(otherNames.map { .string($0) })),
        ]
    }

    /// For a person, who reads the words to the other one.
    var text: String { lines.joined(separator: "\n") }

    /// The same line by line: whoever prints them shows a line end in a name, and does not obey it.
    var lines: [String] {
        let groups = stride(from: 0, to: words.count, by: 4).map { words[$0..<min($0 + 4, words.count)].joined(separator: " ") }
        let spoken = "words: " + groups.joined(separator: " - ")
        let whom = name + (address.map { name.contains($0) ? "" : " at \($0)" } ?? "")
        switch state {
        case .known: return ["\(whom) is known; \(spoken)"]
        case .new: return ["\(whom) is new and remembered; \(spoken)"]
        case .unknown:
            return ["\(whom) is not known", "  his key: \(fingerprint)", "  our key: \(ownFingerprint)"]
                + (otherNames.isEmpty ? [] : ["  known as: \(otherNames.joined(separator: ", "))"])
                + [
                    "  \(spoken)",
                    "Who hears the same words from the other side, by a way that both trust, knows that nobody is between.",
                    "a goes on and remembers this key, q refuses",
                ]
        case .refused: return ["\(whom) is not known and was refused: key \(fingerprint)"]
        case .changed:
            return [
                "THE KEY OF \(whom) HAS CHANGED", "  remembered: \(expectedFingerprint ?? "")", "  now:        \(fingerprint)",
                "Somebody may be between, or the key was made anew there. Ask by another way; then `yodel peers forget \(name)`.",
            ]
        }
    }
}
