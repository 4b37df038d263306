import SecureRTP

/// The certificates of those whom this side knows, as its file has them. A line for each, blank ones and those that begin with `#` left
/// out:
///
/// ```
/// NAME sha-256 4A:AD:... seen|pinned
/// ```
/// No other hash is compared, or read.
/// The name of somebody who was called is `HOST:PORT` as it was called, and has one certificate. One who called, and whom nobody has
/// called yet, has `@` and the address that he first called from.
public struct KnownPeers: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        /// Without spaces.
        public var name: String
        public var fingerprint: DTLSFingerprint
        /// A person put it in, before the first call.
        public var isPinned: Bool

        public init(name: String, fingerprint: DTLSFingerprint, isPinned: Bool) {
            (self.name, self.fingerprint, self.isPinned) = (name, fingerprint, isPinned)
        }

        fileprivate var line: String { "\(name) \(fingerprint) \(isPinned ? "pinned" : "seen")" }
    }

    /// Whether somebody is who he should be.
    public enum Judgement: Hashable, Sendable {
        case known
        /// Nothing is known by that name; others have this certificate.
        case unknown(otherNames: [String])
        /// The name has another certificate.
        case changed(expected: DTLSFingerprint)
    }

    /// Entries that are read and kept at most.
    public static let most = 10_000

    public private(set) var entries: [Entry] = []

    public init() {}

    /// Reads the file's text.
    public init(parsing text: String) throws(KnownPeersError) {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard words.count == 4, let fingerprint = DTLSFingerprint("\(words[1]) \(words[2])"),
                ["seen", "pinned"].contains(words[3])
            else { throw KnownPeersError(line: number + 1, reason: "no NAME sha-256 FINGERPRINT seen|pinned") }
            // A certificate is compared by this hash alone.
            guard fingerprint.hash == .sha256 else {
                let hash = fingerprint.hash.rawValue
                throw KnownPeersError(
                    line: number + 1, reason: "\(hash) is not compared; write sha-256, as the other side's `yodel peers` has it"
                )
            }
            guard entries.count < Self.most else {
                throw KnownPeersError(line: number + 1, reason: "more than \(Self.most) peers")
            }
            entries.append(Entry(name: String(first), fingerprint: fingerprint, isPinned: words[3] == "pinned"))
        }
    }

    /// The file's text.
    public var text: String {
        "# Who is known by yodel://, and by which certificate; `yodel peers` lists, forgets and pins.\n"
            + entries.map { $0.line + "\n" }.joined()
    }

    public var fingerprints: [DTLSFingerprint] { Array(Set(entries.map(\.fingerprint))) }

    /// Whether the one who was called by `name` is who he should be.
    public func judge(called name: String, _ fingerprint: DTLSFingerprint) -> Judgement {
        let named = entries.filter { $0.name == name }
        if named.contains(where: { $0.fingerprint == fingerprint }) { return .known }
        if let entry = named.first { return .changed(expected: entry.fingerprint) }
        return .unknown(otherNames: names(of: fingerprint))
    }

    /// Whether one who calls is known, by whatever name.
    public func judge(caller fingerprint: DTLSFingerprint) -> Judgement {
        names(of: fingerprint).isEmpty ? .unknown(otherNames: []) : .known
    }

    /// The names that a certificate has.
    public func names(of fingerprint: DTLSFingerprint) -> [String] {
        entries.filter { $0.fingerprint == fingerprint }.map(\.name)
    }

    /// Adds an entry, in place of the one that says the same name of one who is called, or the same caller.
    ///
    /// Where there are `most`, the caller goes who was remembered first and not pinned: strangers who call without end shall not make a file
    /// that cannot be read. Of who was called, or pinned, nobody goes; where there is nobody else the new one is not kept.
    public mutating func remember(_ entry: Entry) {
        entries.removeAll { old in
            old.name == entry.name && (!entry.name.hasPrefix("@") || old.fingerprint == entry.fingerprint)
        }
        if entries.count >= Self.most {
            guard let oldest = entries.firstIndex(where: { $0.name.hasPrefix("@") && !$0.isPinned }) else { return }
            entries.remove(at: oldest)
        }
        entries.append(entry)
    }

    /// Takes out whom a name or a fingerprint means.
    /// - Returns: who was taken out.
    public mutating func forget(_ meant: String) -> [Entry] {
        let fingerprint = DTLSFingerprint(meant) ?? DTLSFingerprint("sha-256 \(meant)")
        let gone = entries.filter { $0.name == meant || $0.fingerprint == fingerprint }
        entries.removeAll { gone.contains($0) }
        return gone
    }
}

/// Why the file of known peers cannot be read.
public struct KnownPeersError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    public var reason: String

    package init(line: Int, reason: String) { (self.line, self.reason) = (line, reason) }

    public var description: String { "line \(line): \(reason)" }
}
