import Link
import Media
import RTP
import Realtime
import Testing

/// A socket whose packets and ICMP errors are put in by hand.
private final class ScriptedSocket: LinkEnd {
    private(set) var peer: LinkPeer?
    var events: [LinkEvent] = []
    var waiting: [(bytes: [UInt8], source: SocketAddress)] = []

    init(peer: SocketAddress?) { self.peer = peer.map { LinkPeer(media: $0) } }

    func setPeer(_ peer: LinkPeer?) { self.peer = peer }
    func nextEvent() -> LinkEvent? { events.isEmpty ? nil : events.removeFirst() }
    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool { true }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        for var item in waiting {
            item.bytes.withUnsafeMutableBytes {
                var packet = ReceivedPacket($0, arrival: now, source: item.source)
                deliver(&packet)
            }
        }
        waiting = []
    }
}

@Suite("A call to a name with several addresses") struct SeveralAddressesTests {
    private static let addresses = [1, 2].map { SocketAddress(IPAddress(v4: 0xc000_0200 + $0), port: 5004) }
    private let first = addresses[0]
    private let second = addresses[1]
    private let socket = ScriptedSocket(peer: addresses[0])

    private func link(alternatives: [SocketAddress]) -> LatchingLink {
        let link = LatchingLink(over: socket, alternatives: alternatives, seed: 7)
        link.expect(PayloadTypeTable(audio: 0).known)
        return link
    }

    private func unreachable(_ address: SocketAddress, _ link: LatchingLink, at milliseconds: Double) -> LinkEvent? {
        socket.events.append(.unreachable(address))
        link.advance(to: HostTime(milliseconds: milliseconds))
        return link.nextEvent()
    }

    /// Packets of the other side's stream; how many are handed on.
    private func give(
        _ link: LatchingLink, from source: SocketAddress, at milliseconds: Double, sequence first: UInt16 = 0
    ) -> Int {
        for sequence in first..<first + 3 {
            var bytes = [UInt8](repeating: 0, count: 20)
            let header = RTPHeader(payloadType: 0, sequence: sequence, timestamp: 0, ssrc: 1)
            _ = bytes.withUnsafeMutableBytes { header.write(into: $0) }
            socket.waiting.append((bytes, source))
        }
        var count = 0
        link.receive(now: HostTime(milliseconds: milliseconds)) { _ in count += 1 }
        return count
    }

    @Test("sends to the next one where nothing arrives, and hears that one")
    func next() {
        let link = link(alternatives: [second])
        #expect(give(link, from: second, at: 1) == 0, "nobody was called there")
        #expect(unreachable(first, link, at: 10) == .peerMoved(from: first, to: second))
        #expect(link.peer == LinkPeer(media: second) && link.nextEvent() == nil)
        #expect(give(link, from: first, at: 20) == 0)
        #expect(give(link, from: second, at: 30) == 3)
    }

    @Test("stays where something was heard")
    func heard() {
        let link = link(alternatives: [second])
        #expect(give(link, from: first, at: 1) == 3)
        #expect(link.nextEvent() == .peerLearnt(first))
        #expect(unreachable(first, link, at: 10) == nil && link.peer == LinkPeer(media: first))
    }

    @Test(
        "is followed where it moves with its stream; who has always sent from elsewhere is sent to where he was called",
        arguments: [true, false])
    func moves(isSymmetric: Bool) {
        let link = link(alternatives: [])
        let (from, to) = (
            SocketAddress(first.address, port: isSymmetric ? 5004 : 6000), SocketAddress(first.address, port: 5024)
        )
        #expect(give(link, from: from, at: 1) == 3)
        _ = link.nextEvent()
        #expect(give(link, from: to, at: 1000, sequence: 3) == 3)
        #expect(link.nextEvent() == .peerMoved(from: from, to: to))
        #expect(link.peer?.media == (isSymmetric ? to : first))
    }

    @Test("with one address waits there for somebody, and nobody is told")
    func alone() {
        let link = link(alternatives: [])
        #expect(unreachable(first, link, at: 10) == nil && link.peer == LinkPeer(media: first))
        #expect(give(link, from: first, at: 20) == 3)
    }
}
