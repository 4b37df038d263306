/// A session description, RFC 8866: what one side of a call says about the media it wants to send and receive.
///
/// Attributes and lines that yodel does not know are kept, in their order, and printed back.
public struct SessionDescription: Hashable, Sendable {
    /// The media type of the body, for Content-Type.
    public static let contentType = "application/sdp"

    public var origin: Origin
    /// The `s=` line; `-` where there is no name.
    public var sessionName: String
    public var information: String?
    public var connection: Connection?
    public var bandwidths: [Bandwidth] = []
    /// The `t=` lines; `0 0` in a call.
    public var timings: [String] = ["0 0"]
    public var otherLines: [OtherLine] = []
    public var attributes: [Attribute] = []
    public var media: [MediaDescription] = []

    public init(origin: Origin, sessionName: String = "-", connection: Connection? = nil) {
        self.origin = origin
        self.sessionName = sessionName
        self.connection = connection
    }
}
