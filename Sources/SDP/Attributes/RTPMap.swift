/// `a=rtpmap`: what a payload type carries (RFC 8866 section 6.6).
public struct RTPMap: Hashable, Sendable {
    /// 0 to 127.
    public var payloadType: UInt8
    public var format: AudioFormat

    public init(payloadType: UInt8, format: AudioFormat) {
        self.payloadType = payloadType
        self.format = format
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let number = reader.word(), let payloadType: UInt8 = number.decimal(upTo: 127),
            let encoding = reader.word(), reader.word() == nil
        else { return nil }
        let parts = encoding.split(separator: .slash, omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts[0].isToken,
            let rate: UInt32 = parts[1].decimal(upTo: 1_000_000), rate > 0
        else { return nil }
        var channels: UInt8 = 1
        if parts.count == 3 {
            guard let number: UInt8 = parts[2].decimal(), number > 0 else { return nil }
            channels = number
        }
        self.init(
            payloadType: payloadType,
            format: AudioFormat(encodingName: parts[0].text, clockRate: Int(rate), channels: Int(channels)))
    }

    var text: String { "\(payloadType) \(format)" }
}
