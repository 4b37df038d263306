/// What a layer that encrypts tells of itself.
public struct LinkEncryption: Sendable, Hashable {
    /// Cipher and authentication, by their name in SDP; nil: there are no keys yet, and nothing passes.
    public var suite: String?
    /// Packets that had come before.
    public var replayed: Int
    /// Packets that were not made with the peer's key, or were changed on their way.
    public var failed: Int

    public init(suite: String?, replayed: Int, failed: Int) {
        (self.suite, self.replayed, self.failed) = (suite, replayed, failed)
    }
}
