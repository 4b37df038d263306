/// How much of a session description is read. What exceeds a limit is refused, never cut.
public struct SDPLimits: Sendable, Hashable {
    /// Bytes of the whole body.
    public var bytes: Int
    /// Lines of the whole body.
    public var lines: Int
    /// Bytes of one line without its end.
    public var lineBytes: Int
    /// `m=` lines.
    public var media: Int
    /// Formats of one `m=` line.
    public var formats: Int

    /// Room for a browser's offer with some twenty media lines, in the 64 KiB of a SIP message.
    public init(bytes: Int = 65_536, lines: Int = 2_048, lineBytes: Int = 8_192, media: Int = 64, formats: Int = 128) {
        self.bytes = bytes
        self.lines = lines
        self.lineBytes = lineBytes
        self.media = media
        self.formats = formats
    }
}
