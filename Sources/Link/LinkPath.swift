/// What a layer that looks for a way to the peer tells of it.
public struct LinkPath: Sendable, Hashable {
    /// What the way costs, and the kinds of its ends (RFC 8445 section 5.1.1): `host`, `srflx`, `prflx` or `relay`.
    public var kind: String
    public var local: String
    public var remote: String
    /// Milliseconds from the peer's credentials to the first pair that carried media.
    public var connectMilliseconds: Double?
    /// Of the last check, in milliseconds.
    public var roundTripMilliseconds: Double?

    public init(
        kind: String, local: String, remote: String, connectMilliseconds: Double?, roundTripMilliseconds: Double?
    ) {
        (self.kind, self.local, self.remote) = (kind, local, remote)
        self.connectMilliseconds = connectMilliseconds
        self.roundTripMilliseconds = roundTripMilliseconds
    }
}
