import Realtime

/// Where packets pass between a stream and the world. Links stack, each made around the one below it:
///
/// ```
/// stream -> [packet capture] -> [emulator] -> LatchingLink -> UDPLink
/// ```
/// Sans-I/O but for the lowest one: time comes in by `now`, and nothing ever waits. A link is confined to the thread that
/// steps its stream. Only the layer that authenticates packets chooses or moves the peer; the layers below carry its choice
/// out.
public protocol PacketLink: AnyObject {
    /// Where packets go; nil until it is known.
    var peer: LinkPeer? { get }

    /// Sends to this peer from now on; nil to nobody. Called by the layer that authenticates, or by the owner who was told
    /// an address.
    func setPeer(_ peer: LinkPeer?)

    /// Who is listened to from now on. Whoever else sends may be dropped unseen: by the kernel, where it can.
    func admit(_ sources: AdmittedSources)

    /// The RTP payload types that the stream above takes: a packet of another type proves nothing about its source.
    func expect(_ payloadTypes: PayloadTypeSet)

    /// Sends one packet. Never waits; what cannot be sent is lost and counted, as a network would lose it.
    /// - Returns: false when it was not sent.
    @discardableResult
    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool

    /// Hands on what has come since the last time, in order of arrival. Never waits; bounded, so that a flood does not
    /// keep the caller.
    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void)

    /// Time passes: what was held back and is due now leaves, time-outs happen.
    func advance(to now: HostTime)

    /// When `advance` next has something to do; nil when it has not.
    var nextDeadline: HostTime? { get }

    /// Whether a packet should wake whoever steps the stream: while a handshake runs. In a call it should not.
    var wantsWakeup: Bool { get }

    /// What happened since the last call, oldest first; nil when there is nothing more.
    func nextEvent() -> LinkEvent?

    /// Counters of this layer and those below.
    var statistics: LinkStatistics { get }
}

/// Where a session's packets go.
public struct LinkPeer: Sendable, Hashable {
    /// RTP, and RTCP too when they share a port.
    public var media: SocketAddress
    /// RTCP, when it has a port of its own; nil for the lower layer's convention.
    public var control: SocketAddress?

    public init(media: SocketAddress, control: SocketAddress? = nil) {
        self.media = media
        self.control = control
    }
}

/// Whom a link listens to.
public enum AdmittedSources: Sendable, Hashable {
    /// Everybody.
    case anyone
    /// RTP from this address and port only; RTCP on a port of its own from the same address.
    case only(SocketAddress)
}

/// What a layer of a link tells.
public enum LinkEvent: Sendable, Hashable {
    /// The peer's address was learnt from its packets.
    case peerLearnt(SocketAddress)
    /// The peer's stream comes from another address now.
    case peerMoved(from: SocketAddress, to: SocketAddress)
    /// A source that was learnt fell silent before it had sent enough to be believed.
    case peerLost(SocketAddress)
    /// A packet did not arrive at this address, as ICMP says: nobody listens there, or nothing leads there.
    case unreachable(SocketAddress)
    /// The layer that encrypts has agreed on keys: for which suite, and whose certificate proved them.
    case secured(suite: String, fingerprint: String)
    /// There will be no keys, and so nothing will pass: why, and whether the peer's certificate is the reason.
    case notSecured(reason: String, isCertificate: Bool)
}
