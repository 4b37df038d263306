/// Why a message is not one that can be served.
public enum ParseProblem: String, Error, Hashable, Sendable, CaseIterable {
    /// Beyond a limit of `MessageLimits`.
    case tooLarge = "Message Too Large"
    case badStartLine = "Bad Request Line"
    case badVersion = "Version Not Supported"
    case badRequestURI = "Bad Request-URI"
    case badHeaderLine = "Bad Header Line"
    case controlCharacter = "Control Character In Header Field"
    case noEndOfHeaders = "No End Of Header Fields"
    case missingField = "Missing Header Field"
    case repeatedField = "Repeated Header Field"
    case badVia = "Bad Via"
    case badAddress = "Bad From Or To"
    case badCallID = "Bad Call-ID"
    case badCSeq = "Bad CSeq"
    case badContact = "Bad Contact"
    case badRoute = "Bad Route"
    case badContentLength = "Bad Content-Length"
    case badNumber = "Bad Number"

    /// The status with which a request that has this problem is answered.
    public var status: Int {
        switch self {
        case .tooLarge: 513
        case .badVersion: 505
        default: 400
        }
    }
}

/// Limits of what is parsed. What lies beyond is dropped without an answer, so that nobody is made to send.
public struct MessageLimits: Hashable, Sendable {
    /// Octets of a whole message.
    public var message: Int
    /// Octets of a header field with its folds, or of the start line.
    public var line: Int
    /// Header fields.
    public var fields: Int

    public init(message: Int = 65_536, line: Int = 8192, fields: Int = 256) {
        self.message = message
        self.line = line
        self.fields = fields
    }
}

/// What the parser made of some octets.
public enum ParseOutcome: Sendable {
    case message(Message)
    /// `answer` is the response that a request deserves; nil when nothing may be said (an ACK, a response, no usable Via).
    case rejected(ParseProblem, answer: Response?)
    /// Line ends only: a keep-alive (RFC 5626 section 4.4.1).
    case keepAlive
}
