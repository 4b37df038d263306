/// The numbers under which levels are told in a stream's header extensions, where both sides agreed to that.
public struct LevelNumbers: Hashable, Sendable {
    /// How loud each packet of the other side is (RFC 6464); nil: it does not say.
    public var received: UInt8?
    /// Who is heard in what this side mixes, and how loud each is (RFC 6465); nil: the other side is not told.
    public var sent: UInt8?

    public init(received: UInt8? = nil, sent: UInt8? = nil) { (self.received, self.sent) = (received, sent) }

    /// Whether anything is told.
    public var isUsed: Bool { received != nil || sent != nil }
}
