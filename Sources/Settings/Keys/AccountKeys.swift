/// Who the program is at one registrar.
public struct AccountKeys: ConfigurationSection {
    public static let name = "accounts"
    public static let title = "Accounts"
    public static let needsNames = true
    public static let refused = [
        "password": "name a file with password_file or a variable with password_env, so that no copy of this file tells it"
    ]

    public let uri = ConfigurationKey(
        "uri", .text("uri"), unset: "the account cannot be used", help: "Address that others call: sip:user@domain")
    public let user = ConfigurationKey(
        "user", .text("name"), unset: "the user of the uri", help: "Name that goes with the password")
    public let displayName = ConfigurationKey(
        "display_name", .text("name"), unset: "none", help: "Name shown to those who are called")
    public let passwordFile = ConfigurationKey(
        "password_file", .text("file"), unset: "no password",
        help: "File whose first line is the password; nobody else should be able to read it")
    public let passwordEnv = ConfigurationKey(
        "password_env", .text("variable"), unset: "no password", help: "Environment variable that holds the password")
    public let registrar = ConfigurationKey(
        "registrar", .text("uri"), unset: "the domain of the uri", help: "Server to register at: sip:HOST[:PORT], or a host")
    public let outboundProxy = ConfigurationKey(
        "outbound_proxy", .text("uri"), unset: "none",
        help: "Server that every request goes through: sip:HOST[:PORT], or a host")
    public let transport = ConfigurationKey(
        "transport", ValueForm<AccountTransport>.cases("way"), unset: "what the servers' names say",
        help: "How to reach the servers")
    public let srtp = ConfigurationKey(
        "srtp", ValueForm<AccountEncryption>.cases("mode"), default: .optional,
        help: "Whether voices are encrypted: where the other side can, or required: no call without")
    public let ice = ConfigurationKey(
        "ice", ValueForm<ICEMode>.cases("mode"), unset: "`network.ice`",
        help: "Whether its calls find a way through NATs by ICE")
    public let transfers = ConfigurationKey(
        "transfers", ValueForm<AccountTransfers>.cases("who"), default: .known,
        help: "Who may have us call somebody else during a call: never, known (its servers and `network.allow`), anyone")
    public let redirections = ConfigurationKey(
        "redirections", .integer(0...10, placeholder: "n"), default: 0,
        help: "How many redirections (3xx) a call follows, by the same scheme only; 0 ends it and tells who was named")
    public let expires = ConfigurationKey(
        "expires", .integer(60...86_400, unit: "s", placeholder: "s"), default: 600,
        help: "How long a registration shall hold")
    public let keepAlive = ConfigurationKey(
        "keep_alive", .integer(0...900, unit: "s", placeholder: "s"), unset: "29 by UDP, 120 by TCP and TLS",
        help: "How often the way to the registrar is kept open; 0 never")
    public let probe = ConfigurationKey(
        "probe", .integer(0...900, unit: "s", placeholder: "s"), default: 25,
        help: "How often it is tried whether calls come through the registrar; 0 never")
    public let messageWaiting = ConfigurationKey(
        "message_waiting", .toggle, default: false,
        help: "Ask the registrar to tell whether voice messages wait (RFC 3842); many tell it unasked")
    public let device = ConfigurationKey(
        "device", .deviceName, unset: "`softphone.device`",
        help: "Microphone and loudspeaker of its calls in the service: a device's name, or echo for what is heard")
    public let unanswered = ConfigurationKey(
        "unanswered", ValueForm<AccountUnanswered>.cases("what"), default: .ring,
        help: "What the service does with a call that nobody answers: rings on, answers, or one of the others")
    public let rings = ConfigurationKey(
        "rings", .integer(0...20, placeholder: "n"), default: 4, help: "After how many rings, of 5 s; 0 at once")
    public let announcement = ConfigurationKey(
        "announcement", .text("file"), unset: "nothing is said",
        help: "What is said to the caller, by announce and before a message: a file in `softphone.folder`")
    public let messageSeconds = ConfigurationKey(
        "message_seconds", .integer(5...3600, unit: "s", placeholder: "s"), default: 120,
        help: "Longest message that a caller may leave, in `softphone.recordings`")
    public let forwardTo = ConfigurationKey(
        "forward_to", .text("uri"), unset: "nobody", help: "Who is called in place of us by forward")
    public let callers = ConfigurationKey(
        "callers", .list(of: .text("uri"), expectation: "a list of callers such as 101@example.com, *@example.com"),
        unset: "everybody", help: "Who may call; * stands for anything. A caller chooses his address himself")
    public let callees = ConfigurationKey(
        "callees", .list(of: .text("uri"), expectation: "a list of callees such as *@example.com, +49*, 1*"),
        unset: "everybody", help: "Whom its calls, transfers and texts may go to; * stands for anything")
    public let handsets = ConfigurationKey(
        "handsets", .list(of: .text("name"), expectation: "a list of names such as desk, lobby"),
        unset: "all", help: "At which handsets its calls ring, and who may answer them")

    public init() {}
}

/// What the service does with a call that nobody answers.
public enum AccountUnanswered: String, Sendable, CaseIterable {
    case ring, answer, announce, message, forward, refuse
}

/// How an account's servers are reached.
public enum AccountTransport: String, Sendable, CaseIterable {
    case udp, tcp, tls
}

/// Whether the media of an account's calls are encrypted.
public enum AccountEncryption: String, Sendable, CaseIterable {
    case off, optional, required
}

/// Who may have an account's calls transferred.
public enum AccountTransfers: String, Sendable, CaseIterable {
    case never, known, anyone
}

extension ConfigurationItem<AccountKeys> {
    /// The account's password out of its file or variable; empty when neither is named.
    public func password(environment: [String: String]) throws(SettingsError) -> String {
        let place = "accounts.\(name ?? "")"
        let (file, variable) = (source(of: \.passwordFile), source(of: \.passwordEnv))
        switch (self[\.passwordFile], self[\.passwordEnv]) {
        case (nil, nil): return ""
        case (let path?, nil): return try SecretFile.line(path: path, of: "\(place).password_file", from: file)
        case (nil, let name?):
            guard let password = environment[name] else {
                throw .invalidValue(
                    name: "\(place).password_env", value: name, source: variable.description,
                    expected: "a variable that is set")
            }
            return password
        case (let path?, _?):
            throw .invalidValue(
                name: "\(place).password_file", value: path, source: file.description,
                expected: "either password_file or password_env")
        }
    }
}
