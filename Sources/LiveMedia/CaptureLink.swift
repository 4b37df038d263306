import Link
import Realtime

/// A layer that notes every packet that passes for the packet capture, as the stream sees it.
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
        guard let peer = lower.peer else { return lower.send(&packet, now: now) }
        let isControl = packet.flow == .control
        capture.add(
            sent: packet.bytes, isControl: isControl, to: isControl ? peer.control ?? peer.media : peer.media,
            time: .monotonicNow())
        return lower.send(&packet, now: now)
    }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            capture.add(
                received: UnsafeRawBufferPointer(packet.bytes), isControl: packet.kind == .rtcp, from: packet.source,
                time: packet.arrival)
            deliver(&packet)
        }
    }
}
