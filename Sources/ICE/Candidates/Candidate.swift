import Link

/// An address at which somebody may be reached (RFC 8445 section 4), over UDP, for the one component that RTP and RTCP share.
public struct Candidate: Hashable, Sendable {
    /// Equal for candidates of one kind, base and server.
    public var foundation: String
    public var priority: UInt32
    public var address: SocketAddress
    public var kind: CandidateKind
    /// The base of a reflexive candidate, the mapped address of a relayed one: for people who look for faults.
    public var related: SocketAddress?
    /// Of the generation that it belongs to, where the line says so (RFC 8840 section 4.2); nil for the present one.
    public var userFragment: String?

    public init(
        foundation: String, priority: UInt32, address: SocketAddress, kind: CandidateKind, related: SocketAddress? = nil,
        userFragment: String? = nil
    ) {
        self.foundation = foundation
        self.priority = priority
        self.address = address
        self.kind = kind
        self.related = related
        self.userFragment = userFragment
    }
}
