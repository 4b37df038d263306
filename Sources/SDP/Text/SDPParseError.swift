/// Why bytes are no session description (RFC 8866 section 9).
public struct SDPParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// More bytes, lines, media lines or formats than `SDPLimits` allows; `String` names the limit.
        case tooMany(String)
        case lineTooLong
        /// Not `LETTER=VALUE`.
        case notAField
        /// A NUL or a carriage return inside a line.
        case controlCharacter
        /// The body does not begin with `v=0`.
        case version
        case origin
        case connection
        case bandwidth
        /// Media, port, protocol, formats; `String` names the part that is wrong.
        case media(String)
        /// A second line of a kind that may stand once; `String` is its letter.
        case repeated(String)
        /// `v=`, `o=` are there, an `o=` line is missing.
        case noOrigin
    }

    public let reason: Reason
    /// Counted from 1; 0: the body as a whole.
    public let line: Int

    public init(_ reason: Reason, line: Int) {
        self.reason = reason
        self.line = line
    }

    public var description: String {
        let what =
            switch reason {
            case .tooMany(let limit): "too many \(limit)"
            case .lineTooLong: "the line is too long"
            case .notAField: "the line is not LETTER=VALUE"
            case .controlCharacter: "the line has a NUL or a carriage return inside"
            case .version: "the first line is not v=0"
            case .origin: "the o= line has not six parts, or a part that is no word"
            case .connection: "the c= line is not NETWORK TYPE ADDRESS"
            case .bandwidth: "the b= line is not TYPE:NUMBER"
            case .media(let part): "the m= line has a wrong \(part)"
            case .repeated(let letter): "a second \(letter)= line"
            case .noOrigin: "the o= line is missing"
            }
        return line == 0 ? "session description: \(what)" : "session description, line \(line): \(what)"
    }
}
