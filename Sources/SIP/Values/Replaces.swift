/// The dialog that an INVITE takes the place of, RFC 3891 section 6.1.
public struct Replaces: Hashable, Sendable {
    public var callID: String
    public var toTag: String
    public var fromTag: String
    /// Only an early dialog may be replaced.
    public var earlyOnly: Bool

    public init(callID: String, toTag: String, fromTag: String, earlyOnly: Bool = false) {
        self.callID = callID
        self.toTag = toTag
        self.fromTag = fromTag
        self.earlyOnly = earlyOnly
    }

    public init?(_ text: String) { self.init(bytes: Array(text.utf8)[...]) }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(ByteScanner.trimmed(bytes))
        let callID = scanner.takeWhile { $0 != UInt8(ascii: ";") && !ByteClass.isFoldingSpace($0) }
        guard !callID.isEmpty, let parameters = Parameters(&scanner), scanner.isAtEnd,
            let toTag = parameters["to-tag"], let fromTag = parameters["from-tag"]
        else { return nil }
        self.callID = callID.text
        self.toTag = toTag
        self.fromTag = fromTag
        earlyOnly = parameters.contains("early-only")
    }

    public var text: String {
        "\(callID);to-tag=\(toTag);from-tag=\(fromTag)\(earlyOnly ? ";early-only" : "")"
    }
}

/// `token;parameters`: Event and Subscription-State (RFC 6665), Content-Disposition.
public struct TokenValue: Hashable, Sendable {
    public var token: String
    public var parameters: Parameters

    public init(_ token: String, parameters: Parameters = Parameters()) {
        self.token = token
        self.parameters = parameters
    }

    init?(bytes: ArraySlice<UInt8>) {
        var scanner = ByteScanner(bytes)
        scanner.skipSpace()
        guard let token = scanner.takeToken(), let parameters = Parameters(&scanner) else { return nil }
        scanner.skipSpace()
        guard scanner.isAtEnd else { return nil }
        self.token = token
        self.parameters = parameters
    }

    public var text: String { token + parameters.text }
}
