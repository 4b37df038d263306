/// Why a request was sent, RFC 3326: `SIP;cause=200;text="Call completed elsewhere"`.
public struct Reason: Hashable, Sendable {
    /// "SIP", "Q.850" or another protocol.
    public var namespace: String
    public var cause: Int?
    public var phrase: String?

    public init(namespace: String, cause: Int?, phrase: String? = nil) {
        self.namespace = namespace
        self.cause = cause
        self.phrase = phrase
    }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let namespace = scanner.takeToken(), let parameters = Parameters(&scanner) else { return nil }
        self.namespace = namespace
        cause = parameters["cause"].flatMap { Int($0) }
        phrase = parameters.unquoted("text")
    }

    public var text: String {
        let causeText = cause.map { ";cause=\($0)" } ?? ""
        return namespace + causeText + (phrase.map { ";text=\(QuotedString.quoted($0))" } ?? "")
    }
}

/// Warning, RFC 3261 section 20.43: `304 host "text"`.
public struct Warning: Hashable, Sendable {
    /// Three digits.
    public var code: Int
    public var agent: String
    public var phrase: String

    public init(code: Int, agent: String, phrase: String) {
        self.code = code
        self.agent = agent
        self.phrase = phrase
    }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        let digits = scanner.takeWhile(ByteClass.isDigit)
        guard digits.count == 3, let code = Int(digits.text), scanner.current == ByteClass.space else { return nil }
        scanner.skipSpace()
        let agent = scanner.takeWhile { !ByteClass.isFoldingSpace($0) && $0 != ByteClass.quote }
        scanner.skipSpace()
        guard !agent.isEmpty, let quoted = scanner.takeQuoted() else { return nil }
        self.code = code
        self.agent = agent.text
        phrase = QuotedString.content(quoted.text)
    }

    public var text: String { "\(code) \(agent) \(QuotedString.quoted(phrase))" }
}
