import Link
import Media
import Realtime

/// The link of one call at a port of many: what it sends goes by the port's next batch; what comes for it the port's loop hands it.
final class PortLink: LinkEnd {
    private let port: any PacketPort
    /// Where the call's packets go.
    var peer: LinkPeer?
    private(set) var sent = 0

    init(_ port: any PacketPort, peer: LinkPeer) {
        self.port = port
        self.peer = peer
    }

    /// RTCP goes where it was heard from, else to the other side's port, or to the next one where RTCP has its own.
    @discardableResult
    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        guard let peer else { return false }
        var target = packet.destination ?? peer.media
        if packet.destination == nil, packet.flow == .control {
            let next = SocketAddress(peer.media.address, port: peer.media.port &+ 1, scope: peer.media.scope)
            target = peer.control ?? (port.hasControlPort ? next : peer.media)
        }
        port.send(packet.bytes, on: packet.flow, to: target)
        sent += 1
        return true
    }
}
