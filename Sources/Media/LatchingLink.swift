import Link
import RTP
import Realtime

/// The layer of plain RTP: it learns from which address and port the other side sends (`SourceLatch`), sends there if no
/// address was given, and hands on nothing else. Of several that were given it takes the next one where nothing arrives.
public final class LatchingLink: LinkLayer {
    public let lower: any PacketLink
    private var latch: SourceLatch
    private let isPeerGiven: Bool
    private var trial: AddressTrial?
    private var events: [LinkEvent] = []
    private var drops = LinkStatistics()
    private var isControlLearnt = false

    /// - `lower`: its peer, if it has one already, is the address that was given.
    /// - `alternatives`: other addresses of that peer.
    /// - `allow`: who may be the other side besides; empty: anyone, if no address was given.
    public init(over lower: any PacketLink, alternatives: [SocketAddress] = [], allow: [CIDR] = [], seed: UInt64) {
        self.lower = lower
        let remote = lower.peer?.media
        isPeerGiven = remote != nil
        trial = remote.map { AddressTrial([$0] + alternatives) }
        latch = SourceLatch(remote: remote, allow: allow, salt: seed)
    }

    public func expect(_ payloadTypes: PayloadTypeSet) {
        latch.expect(payloadTypes)
        lower.expect(payloadTypes)
    }

    public func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            switch packet.kind {
            case .rtp where !packet.isOnControlPort: receive(rtp: &packet, deliver)
            case .rtcp: receive(rtcp: &packet, deliver)
            default: drops[.garbage] += 1
            }
        }
    }

    private func receive(rtp packet: inout ReceivedPacket, _ deliver: (inout ReceivedPacket) -> Void) {
        switch latch.receive(rtp: packet) {
        case .accepted:
            deliver(&packet)
        case .held:
            break
        case .proven(let event):
            trial?.heard()
            if let event { events.append(event) }
            // Who is heard from another port than the one given may only listen at that; who moves from there takes it along.
            if !isPeerGiven || hasTakenPeerAlong(event) { lower.setPeer(LinkPeer(media: packet.source)) }
            isControlLearnt = false
            deliverHeld(of: packet, deliver)
            deliver(&packet)
        case .dropped(let reason):
            drops[reason] += 1
        }
    }

    private func hasTakenPeerAlong(_ event: LinkEvent?) -> Bool {
        guard case .peerMoved(let former, _) = event else { return false }
        return former == lower.peer?.media
    }

    /// The packet before the proof was media too: no word is clipped.
    private func deliverHeld(of packet: ReceivedPacket, _ deliver: (inout ReceivedPacket) -> Void) {
        var held = latch.held
        held.bytes.withUnsafeMutableBytes { bytes in
            var first = ReceivedPacket(
                bytes, arrival: held.arrival, source: packet.source, trafficClass: packet.trafficClass)
            deliver(&first)
        }
    }

    private func receive(rtcp packet: inout ReceivedPacket, _ deliver: (inout ReceivedPacket) -> Void) {
        guard latch.admits(control: packet) else {
            drops[.stranger] += 1
            return
        }
        trial?.heard()
        if let control = latch.controlSource, !isControlLearnt, let peer = lower.peer {
            isControlLearnt = true
            lower.setPeer(LinkPeer(media: peer.media, control: control))
        }
        deliver(&packet)
    }

    public func advance(to now: HostTime) {
        if let event = latch.advance(to: now) {
            events.append(event)
            lower.setPeer(nil)
        }
        lower.admit(latch.admitted(at: now))
        lower.advance(to: now)
        while let event = lower.nextEvent() { take(event, now) }
    }

    private func take(_ event: LinkEvent, _ now: HostTime) {
        guard case .unreachable(let address) = event else { return events.append(event) }
        guard let next = trial?.unreachable(address, now: now) else { return }
        latch.call(at: next)
        lower.setPeer(LinkPeer(media: next))
        events.append(.peerMoved(from: address, to: next))
    }

    public func nextEvent() -> LinkEvent? { events.isEmpty ? nil : events.removeFirst() }

    public var statistics: LinkStatistics {
        var result = lower.statistics
        result.deduct(dropsOf: drops)
        return result
    }
}
