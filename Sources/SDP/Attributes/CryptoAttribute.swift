/// `a=crypto`: a suite and its keys (RFC 4568 section 9.1).
public struct CryptoAttribute: Hashable, Sendable {
    /// Ties an answer to its offer.
    public var tag: UInt32
    /// `AES_CM_128_HMAC_SHA1_80` ...
    public var suite: String
    /// Keys, lifetimes and MKIs: `inline:...`, several parted by semicolons.
    public var keyParameters: MediaSecret
    public var sessionParameters: [String]

    public init(tag: UInt32, suite: String, keyParameters: MediaSecret, sessionParameters: [String] = []) {
        self.tag = tag
        self.suite = suite
        self.keyParameters = keyParameters
        self.sessionParameters = sessionParameters
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let tag: UInt32 = reader.word()?.decimal(upTo: 999_999_999), let suite = reader.word(),
            let keys = reader.word(), keys.contains(.colon)
        else { return nil }
        var parameters: [String] = []
        while let word = reader.word() { parameters.append(word.text) }
        self.init(tag: tag, suite: suite.text, keyParameters: MediaSecret(keys.text), sessionParameters: parameters)
    }

    func text(maskingSecrets masks: Bool) -> String {
        let keys = masks ? keyParameters.description : keyParameters.value
        return (["\(tag)", suite, keys] + sessionParameters).joined(separator: " ")
    }
}
