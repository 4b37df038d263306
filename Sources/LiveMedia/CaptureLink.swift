import Link
import Realtime

/// A layer that notes every packet that passes for the packet capture, as the stream sees it: what a layer below encrypts is plain here.
final class CaptureLink: LinkLayer {
    let lower: any PacketLink
    private let capture: CallCapture

    init(over lower: any PacketLink, into capture: CallCapture) {
        self.lower = lower
        self.capture = capture
    }

    @discardableResult
    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        // A layer below changes the bytes in place: what the stream sent is noted first, if it can be sent at all.
        if let peer = lower.peer { capture.note(sent: packet, to: peer) }
        return lower.send(&packet, now: now)
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            capture.note(received: packet)
            deliver(&packet)
        }
    }
}

extension CallCapture: WireWitness {
    public func note(sent packet: OutgoingPacket, to peer: LinkPeer) {
        let isControl = packet.flow == .control
        add(
            sent: packet.bytes, isControl: isControl, to: isControl ? peer.control ?? peer.media : peer.media,
            time: .monotonicNow())
    }

    public func note(received packet: ReceivedPacket) {
        add(
            received: UnsafeRawBufferPointer(packet.bytes), isControl: packet.kind == .rtcp, from: packet.source,
            time: packet.arrival)
    }

    /// - Returns: `link`, whose packets are captured from now on: as they are on the wire, or, with `isDecrypted`, as the stream sees them.
    func watch(_ link: any PacketLink, isDecrypted: Bool) -> any PacketLink {
        guard !isDecrypted, let layer = link.encryptingLayer else { return CaptureLink(over: link, into: self) }
        layer.witness = self
        return link
    }
}
