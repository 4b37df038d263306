import Realtime

/// A text from somebody (RFC 3428). Anybody can make up who it is from; it came within a call, or from an address that may call.
public struct TextMessage: Sendable, Hashable {
    public var from: String
    public var name: String?
    public var to: String
    public var text: String

    public init(from: String, name: String? = nil, to: String, text: String) {
        (self.from, self.name, self.to, self.text) = (from, name, to, text)
    }
}

/// What an account's server says of voice messages (RFC 3842).
public struct MessageSummary: Sendable, Hashable {
    public var isWaiting: Bool
    /// Voice messages; nil: the server does not count them.
    public var new: Int?
    public var old: Int?

    public init(isWaiting: Bool, new: Int? = nil, old: Int? = nil) {
        (self.isWaiting, self.new, self.old) = (isWaiting, new, old)
    }

    /// Of a body `application/simple-message-summary` (RFC 3842 section 5.2); nil where it is none, or says nothing of that.
    public init?(mediaType: String, body: [UInt8]) {
        guard mediaType == "application/simple-message-summary" else { return nil }
        var isWaiting: Bool?
        for line in String(decoding: body.prefix(4096), as: UTF8.self).split(whereSeparator: \.isNewline) {
            // White space may stand around the colon and the slash (HCOLON and SLASH of RFC 3261 section 25.1).
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard parts.count == 2 else { continue }
            let value = parts[1]
            switch parts[0] {
            case "messages-waiting": isWaiting = value.hasPrefix("yes")
            case "voice-message":
                let counts = value.prefix { $0 != "(" }.split(separator: "/").map { Int($0) }
                if counts.count == 2 { (new, old) = (counts[0], counts[1]) }
            default: continue
            }
        }
        guard let isWaiting else { return nil }
        self.isWaiting = isWaiting
    }
}

/// A key that INFO carries.
public enum KeyByINFO {
    /// The body of `application/dtmf-relay` that says so.
    public static func relay(_ digit: Character) -> String { "Signal=\(digit)\r\nDuration=160\r\n" }

    /// `Signal=5` in `application/dtmf-relay`, or the bare key in `application/dtmf`; nil where there is none.
    public static func digit(mediaType: String, body: [UInt8]) -> Character? {
        let text = String(decoding: body.prefix(256), as: UTF8.self)
        let key: Substring?
        switch mediaType {
        case "application/dtmf-relay":
            let line = text.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix("signal") }
            key = line?.split(separator: "=", maxSplits: 1).dropFirst().first
        case "application/dtmf": key = text[...]
        default: key = nil
        }
        let word = (key ?? "").split { $0 == " " || $0.isNewline }.first?.uppercased() ?? ""
        // RFC 4733 section 3.2 numbers its events so, and some write the number.
        if word == "10" { return "*" }
        if word == "11" { return "#" }
        guard word.count == 1, let digit = word.first, "0123456789*#ABCD".contains(digit) else { return nil }
        return digit
    }
}

/// How many texts and notices are told: whoever may call may also send thousands a second.
struct NoticeLimit {
    static let most = 20
    static let seconds = 10.0
    private var since = HostTime.zero
    private var count = 0

    /// Whether one more is told; the first one that is not is told as such.
    mutating func admits(now: HostTime) -> (isTold: Bool, isFirstLeftOut: Bool) {
        if now.milliseconds(since: since) > 1000 * Self.seconds { (since, count) = (now, 0) }
        count += 1
        return (count <= Self.most, count == Self.most + 1)
    }
}
