/// How a call's media are encrypted.
public struct SRTPFigures: Sendable, Equatable {
    /// Cipher and authentication, by their name in SDP (RFC 4568, 7714); `nil` before there were keys.
    public var suite: String?
    /// Packets that had come before.
    public var replayed: Int?
    /// Packets that were not made with the peer's key, or were changed on their way.
    public var failed: Int?

    public init() {}
}
