import Glibc
import PeerSignalling
import SecureRTP
import Settings

/// The folder of the own key (`key`), of the known ones (`known_peers`), and of the service's own token (`token`). Each is written whole
/// or not at all, for the owner's eyes only.
public struct PeerFolder: Sendable, Hashable {
    public let path: String
    private var keyPath: String { path + "/key" }
    private var knownPath: String { path + "/known_peers" }

    /// Bytes of a file that are read at most.
    private static let largest = 4_000_000

    /// A folder that was named.
    public init(path: String) { self.path = path }

    /// The person's: `$XDG_STATE_HOME/yodel`, else `~/.local/state/yodel`.
    /// - Throws: there is no home.
    public init(environment: [String: String]) throws(SoftphoneError) {
        guard let path = StateFolder.path(environment: environment) else {
            throw .request("there is no place for keys: neither XDG_STATE_HOME nor HOME is set; name a folder with --keys")
        }
        self.path = path
    }

    // MARK: - The own key

    /// The key by which others know us; made at the first call.
    public func identity() throws(SoftphoneError) -> DTLSIdentity {
        try makeFolder()
        if let text = try read(keyPath) { return try identity(text) }
        let identity: DTLSIdentity
        do { identity = try DTLSIdentity(days: 36_500) } catch { throw .encryption("\(error)") }
        let certificate = Base64.encode(Secret(identity.certificate))
        // Whoever was quicker has made the key.
        let isOurs = try write(
            "yodel key 1\nkey \(Base64.encode(identity.key))\ncertificate \(certificate)\n", to: keyPath, replacing: false)
        guard !isOurs, let text = try read(keyPath) else { return identity }
        return try self.identity(text)
    }

    private func identity(_ text: String) throws(SoftphoneError) -> DTLSIdentity {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard lines.count == 3, lines[0] == ["yodel", "key", "1"], lines[1].first == "key", lines[2].first == "certificate",
            let key = lines[1].last.flatMap({ Base64.decode($0) }),
            let certificate = lines[2].last.flatMap({ Base64.decode($0) })
        else { throw .request("\(keyPath) is no key of ours; move it away, and a new one is made, which nobody knows yet") }
        do { return try DTLSIdentity(key: key, certificate: certificate.withUnsafeBytes { Array($0) }) } catch {
            throw .encryption("\(error), in \(keyPath)")
        }
    }

    // MARK: - The known ones

    /// Who is known.
    public func known() throws(SoftphoneError) -> KnownPeers {
        guard let text = try read(knownPath) else { return KnownPeers() }
        do { return try KnownPeers(parsing: text) } catch {
            throw .request("\(error), in \(knownPath); mend or remove that line")
        }
    }

    /// Another value after each change of who is known.
    var stamp: [Int] {
        var facts = stat()
        guard stat(knownPath, &facts) == 0 else { return [] }
        return [Int(facts.st_ino), Int(facts.st_mtim.tv_sec), facts.st_mtim.tv_nsec, Int(facts.st_size)]
    }

    /// Changes who is known, alone among the programs of this folder.
    public func change<Result>(_ body: (inout KnownPeers) -> Result) throws(SoftphoneError) -> Result {
        try makeFolder()
        let lock = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw failure(path + "/lock") }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw failure(path + "/lock") }
        var known = try known()
        let before = known
        let result = body(&known)
        if known != before { _ = try write(known.text, to: knownPath, replacing: true) }
        return result
    }

    /// Puts somebody in before the first call, in place of whoever had the name.
    /// - Parameters:
    ///   - fingerprint: `sha-256 4A:AD:...`, or without its first word; no other hash is compared.
    ///   - name: `[yodel://]HOST[:PORT]` of one who is called, or `@ANYTHING` of one who calls; nil: one who calls.
    public func pin(_ fingerprint: String, name: String?) throws(SoftphoneError) -> KnownPeers.Entry {
        guard let print = DTLSFingerprint(fingerprint) ?? DTLSFingerprint("sha-256 \(fingerprint)"), print.hash == .sha256
        else {
            throw .request(
                "'\(fingerprint)' is no SHA-256 fingerprint; write sha-256 and 32 pairs of digits, "
                    + "as the other side's `yodel peers` has it"
            )
        }
        let short = print.bytes.prefix(4).map { String($0, radix: 16) }.joined()
        let entry = KnownPeers.Entry(name: try Self.name(name ?? "@\(short)"), fingerprint: print, isPinned: true)
        try change { $0.remember(entry) }
        return entry
    }

    /// Takes out whom a name, as `pin` takes it, or a fingerprint means.
    /// - Returns: who was taken out.
    public func forget(_ meant: String) throws(SoftphoneError) -> [KnownPeers.Entry] {
        let name = try? Self.name(meant)
        return try change { known in
            let gone = known.forget(meant)
            return gone.isEmpty ? name.map { known.forget($0) } ?? [] : gone
        }
    }

    private static func name(_ text: String) throws(SoftphoneError) -> String {
        if text.hasPrefix("@") {
            guard text.utf8.count < 200, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                throw .request("'\(text)' is no name; write @ and letters without spaces")
            }
            return text
        }
        do {
            return try PeerURI(parsing: PeerURI.isMeant(by: text) ? text : "yodel://\(text)", role: .call).name
        } catch {
            throw .request("\(error), or @NAME for one who calls")
        }
    }

    // MARK: - The service's token

    /// The token of a service that was given none, once its first link was used.
    /// - Returns: nil: there is none yet.
    /// - Throws: the file cannot be read, or holds no token.
    public func token() throws(SoftphoneError) -> String? {
        let file = StateFolder.tokenFile(in: path)
        guard let text = try read(file) else { return nil }
        let line = String(text.prefix { $0 != "\n" })
        guard line.utf8.count >= 16, line.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .request("\(file) holds no token; remove it")
        }
        return line
    }

    /// Keeps the token for the next start.
    /// - Parameter token: has neither spaces nor line ends.
    /// - Returns: false: there is one already, and it stays.
    /// - Throws: it cannot be written.
    public func keep(token: String) throws(SoftphoneError) -> Bool {
        try makeFolder()
        return try write(token + "\n", to: StateFolder.tokenFile(in: path), replacing: false)
    }

    // MARK: - Files

    private func makeFolder() throws(SoftphoneError) {
        var made = ""
        for part in path.split(separator: "/") {
            made += (made.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw failure(made) }
        }
    }

    /// - Returns: nil when there is no such file.
    private func read(_ file: String) throws(SoftphoneError) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(file)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &room, room.count)
            guard count >= 0 else { throw failure(file) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += room[..<count]
            guard bytes.count <= Self.largest else {
                throw .request("\(file) is too large to be what it should be; move it away")
            }
        }
    }

    /// Writes beside the file, and takes its place when all is on disk.
    /// - Returns: false when there is a file already and it is not to be replaced.
    private func write(_ text: String, to file: String, replacing: Bool) throws(SoftphoneError) -> Bool {
        var name = Array("\(file).XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw failure(file) }
        defer {
            close(descriptor)
            unlink(name)
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure(file) }
            rest = rest.dropFirst(count)
        }
        guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0 else { throw failure(file) }
        if replacing {
            guard rename(name, file) == 0 else { throw failure(file) }
            return true
        }
        if link(name, file) == 0 { return true }
        guard errno == EEXIST else { throw failure(file) }
        return false
    }

    private func failure(_ file: String) -> SoftphoneError {
        let reason = String(cString: strerror(errno))
        // The token is the service's, which has no --keys.
        let remedy =
            file == StateFolder.tokenFile(in: path)
            ? "let the service read and write it, or name another file: softphone.token_file"
            : "name a folder that can be written with --keys"
        return .request("\(reason), \(file); \(remedy)")
    }
}
