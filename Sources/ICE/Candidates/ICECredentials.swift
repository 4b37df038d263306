/// User fragment and password of one side (RFC 8839 section 5.4). The password never prints.
public struct ICECredentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public let userFragment: String
    public let password: String

    /// nil unless the user fragment has 4 to 256 characters and the password 22 to 256, printable ASCII without blanks
    /// or colons. (RFC 8839 allows letters, digits, `+` and `/` only; some devices write others.)
    public init?(userFragment: String, password: String) {
        let isText = { (text: String) in text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x3a } }
        guard (4...256).contains(userFragment.utf8.count), (22...256).contains(password.utf8.count),
            isText(userFragment), isText(password)
        else { return nil }
        self.userFragment = userFragment
        self.password = password
    }

    /// 48 and 144 random bits.
    init(_ random: RandomSource) {
        userFragment = random.iceText(8)
        password = random.iceText(24)
    }

    /// Others than ever before.
    public static func random() -> ICECredentials { ICECredentials(RandomSource(SystemRandomNumberGenerator())) }

    /// Authenticates checks sent to whoever has these credentials, and their answers.
    var key: STUNKey { STUNKey(shortTerm: password) }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
