/// The `o=` line: who made the description, and which version of it this is (RFC 8866 section 5.2).
public struct Origin: Hashable, Sendable {
    public var username: String
    /// Digits by the RFC; kept as text, since some devices write more of them than fit a number.
    public var sessionID: String
    public var sessionVersion: String
    /// `IN`.
    public var networkType: String
    /// `IP4` or `IP6`.
    public var addressType: String
    public var address: String

    public init(
        username: String = "-", sessionID: String, sessionVersion: String, networkType: String = "IN",
        addressType: String, address: String
    ) {
        self.username = username
        self.sessionID = sessionID
        self.sessionVersion = sessionVersion
        self.networkType = networkType
        self.addressType = addressType
        self.address = address
    }

    init?(line: ArraySlice<UInt8>) {
        var reader = LineReader(line)
        var words: [String] = []
        while let word = reader.word() {
            guard words.count < 6 else { return nil }
            words.append(word.text)
        }
        // Devices that send an empty user name leave five words.
        if words.count == 5 { words.insert("-", at: 0) }
        guard words.count == 6 else { return nil }
        self.init(
            username: words[0], sessionID: words[1], sessionVersion: words[2], networkType: words[3],
            addressType: words[4], address: words[5])
    }

    var text: String { "\(username) \(sessionID) \(sessionVersion) \(networkType) \(addressType) \(address)" }
}
