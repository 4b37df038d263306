/// `a=fmtp`: parameters of one format, as text (RFC 8866 section 6.15); `OpusParameters` reads those of Opus.
public struct FormatParameters: Hashable, Sendable {
    /// A format of the `m=` line.
    public var format: String
    public var text: String

    public init(format: String, text: String) {
        self.format = format
        self.text = text
    }

    init?(value: ArraySlice<UInt8>) {
        var reader = LineReader(value)
        guard let format = reader.word(), format.isToken else { return nil }
        self.init(format: format.text, text: reader.remainder().text)
    }
}
