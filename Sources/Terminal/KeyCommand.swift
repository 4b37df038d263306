/// What a key does in a call.
package enum KeyCommand: Equatable {
    case answer, mute, hold, text, transfer, second, other, conference, louder, quieter, quit, help
    case digit(Character)

    /// The command of one byte from the terminal; `nil` for a key without a meaning.
    package init?(byte: UInt8) {
        switch Character(UnicodeScalar(byte)) {
        case "a": self = .answer
        case "m": self = .mute
        case "h": self = .hold
        case "s": self = .text
        case "t": self = .transfer
        case "n": self = .second
        case "o": self = .other
        case "c": self = .conference
        case "+", "=": self = .louder
        case "-": self = .quieter
        case "q": self = .quit
        case "?": self = .help
        case let key where Self.digits.contains(key): self = .digit(key)
        default: return nil
        }
    }

    /// The keypad of RFC 4733 section 3.2.
    package static let digits = "0123456789*#ABCD"

    package static let helpText = """
        keys: a answer, m mute, h hold, s send a text, t transfer, n new call beside it, o the other call, c conference of both, \
        0-9 * # A-D send a digit, + - volume, q hang up, ? this list
        """
}
