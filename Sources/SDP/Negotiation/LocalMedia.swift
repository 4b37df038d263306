import Link

/// Where and how this side receives: what its own lines tell. It may change during a call; the next offer tells it.
public struct LocalMedia: Hashable, Sendable {
    /// Numeric IPv4 or IPv6 address for `c=` and `o=`.
    public var address: String
    /// Of RTP.
    public var port: UInt16
    /// Of RTCP; equal to `port` where RTCP can only share it.
    public var controlPort: UInt16
    public var ssrc: UInt32?
    public var cname: String?
    /// What this side wants; `sendonly` or `inactive` is a hold.
    public var direction: MediaDirection
    /// nil: ICE is neither offered nor answered.
    public var ice: LocalICE?
    /// Whether this side mixes what it receives with others: levels are asked for and told (RFC 6464, 6465).
    public var mixes: Bool

    /// - Parameter controlPort: nil: the port after `port` (RFC 3550 section 11).
    public init(
        address: String, port: UInt16, controlPort: UInt16? = nil, ssrc: UInt32? = nil, cname: String? = nil,
        direction: MediaDirection = .sendReceive, ice: LocalICE? = nil, mixes: Bool = false
    ) {
        self.address = address
        self.port = port
        self.controlPort = controlPort ?? (port == .max ? port : port + 1)
        self.ssrc = ssrc
        self.cname = cname
        self.direction = direction
        self.ice = ice
        self.mixes = mixes
    }
}
