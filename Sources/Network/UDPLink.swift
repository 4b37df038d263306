import CNetwork
import Link
import Realtime

/// How RTCP travels.
public enum RTCPTransport: Sendable, Hashable {
    /// With RTP on one port, RFC 5761.
    case mux
    /// On our RTP port + 1, to the peer's port given here, or to the peer's RTP port + 1 (RFC 3550 section 11).
    case separate(remotePort: UInt16? = nil)
}

/// The lowest link: one or two UDP sockets. It carries out whom the layers above chose, and chooses nobody itself.
public final class UDPLink: PacketLink {
    /// Milliseconds between two looks at RTCP's own socket: the kernel notes when a report came.
    static let controlMilliseconds = 50.0

    /// Where RTP is heard; the port is the kernel's choice when 0 was asked.
    public var local: SocketAddress { media.socket.local }
    /// Where RTCP is heard: RTP's port with rtcp-mux.
    public var localControlPort: UInt16 { control?.socket.local.port ?? local.port }
    public private(set) var peer: LinkPeer?
    private var counters = LinkStatistics()

    private let media: UDPReader
    /// nil with rtcp-mux.
    private let control: UDPReader?
    private let rtcp: RTCPTransport
    private var nextControl = HostTime.zero
    /// The peer takes RTCP on RTP's port, and gets it from ours (RFC 5761), though RTCP has a port here.
    private var sharesPort = false
    /// Another link at this port takes the DTLS of all but the peer.
    private var hasSibling = false

    /// - `bind`: local address; nil: every interface, IPv4 and IPv6 unless `remote` decides.
    /// - `localPort`: port for RTP, and with separate RTCP the next one; 0: a free one (an even one of a free pair).
    /// - `remote`: where packets go at first; may be set later.
    public init(
        bind: IPAddress? = nil, localPort: UInt16 = 0, remote: SocketAddress? = nil, rtcp: RTCPTransport = .mux
    ) throws(NetworkError) {
        let sockets = try UDPSocketPair(bind, remote: remote, port: localPort, rtcp: rtcp)
        media = try UDPReader(sockets.media, isControlPort: false)
        control = if let socket = sockets.control { try UDPReader(socket, isControlPort: true) } else { nil }
        self.rtcp = rtcp
        setPeer(remote.map { LinkPeer(media: $0) })
    }

    /// A link at the port of `other`, to which all DTLS comes but that of `peer`, for as long as it lives: `other` keeps its peer, whoever
    /// calls meanwhile, and follows it by `setPeer`. Its queue is short: what a flood brings is lost there. For whoever has `other` alone.
    /// - Throws: the kernel does not part them.
    public init(besides other: UDPLink, of peer: SocketAddress) throws(NetworkError) {
        media = try UDPReader(UDPSocket(besides: other.media.socket, of: peer), isControlPort: false)
        control = nil
        rtcp = .mux
        other.hasSibling = true
    }

    /// What to poll for reading: RTP's socket, then RTCP's if it has its own.
    public var fileDescriptors: [Int32] {
        [media.socket.fileDescriptor] + (control.map { [$0.socket.fileDescriptor] } ?? [])
    }

    /// The first of them, for whoever must not be woken up in vain: RTCP's own socket is looked at now and then, and is readable
    /// until then.
    public var mediaDescriptor: Int32 { media.socket.fileDescriptor }

    /// A control address that is the media's own is RTP and RTCP on one port, from now on. One that was not given follows from
    /// that, from the convention, or from the port that was agreed.
    public func setPeer(_ peer: LinkPeer?) {
        if hasSibling, let peer, peer.media != self.peer?.media { media.socket.divert(allBut: peer.media) }
        self.peer = peer
        if let peer, let control = peer.control { sharesPort = control == peer.media }
        guard var peer, peer.control == nil else { return }
        let address = peer.media
        switch rtcp {
        case _ where sharesPort: peer.control = address
        case .mux: peer.control = address
        case .separate(let port):
            peer.control = SocketAddress(address.address, port: port ?? address.port &+ 1, scope: address.scope)
        }
        self.peer = peer
    }

    public func admit(_ sources: AdmittedSources) {
        media.admit(sources, port: true)
        control?.admit(sources, port: false)
    }

    @discardableResult
    public func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        let isControl = packet.flow == .control
        guard let address = packet.destination ?? (isControl ? peer?.control : peer?.media) else {
            counters.sentToNobody += 1
            return false
        }
        let socket = (isControl && !sharesPort ? control : nil)?.socket ?? media.socket
        return socket.send(packet.bytes, to: address, counting: &counters)
    }

    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        media.receive(&counters, deliver)
        guard let control, now >= nextControl else { return }
        nextControl = now.advanced(byMilliseconds: Self.controlMilliseconds)
        control.receive(&counters, deliver)
    }

    public func expect(_ payloadTypes: PayloadTypeSet) {}
    public func advance(to now: HostTime) {}
    public var nextDeadline: HostTime? { nil }
    public var wantsWakeup: Bool { false }
    /// What ICMP tells of RTP's packets: many take no RTCP.
    public func nextEvent() -> LinkEvent? { media.socket.takeUnreachable().map { .unreachable($0) } }

    public var statistics: LinkStatistics {
        var result = counters
        result[.kernel] = media.socket.droppedByKernel + (control?.socket.droppedByKernel ?? 0)
        return result
    }
}
