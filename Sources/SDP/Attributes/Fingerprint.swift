import Link

/// `a=fingerprint`: the hash of the certificate that the writer's DTLS will show (RFC 8122 section 5).
public struct Fingerprint: Hashable, Sendable {
    /// In lower case: `sha-256`.
    public var hashFunction: String
    public var bytes: [UInt8]

    public init(hashFunction: String, bytes: [UInt8]) {
        self.hashFunction = hashFunction.asciiLowercased
        self.bytes = bytes
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let function = reader.word(), function.isToken, let digits = reader.word(), reader.word() == nil
        else { return nil }
        var bytes: [UInt8] = []
        for pair in digits.split(separator: .colon, omittingEmptySubsequences: false) {
            guard pair.count == 2, let high = pair.first?.hexadecimal, let low = pair.last?.hexadecimal,
                bytes.count < 64
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(hashFunction: function.text, bytes: bytes)
    }

    var text: String { hashFunction + " " + bytes.colonHex }
}

extension UInt8 {
    fileprivate var hexadecimal: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}
