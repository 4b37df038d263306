import Link
import Realtime
import Testing

/// What a socket would bring, put in by hand, and what is sent by it.
private final class ScriptedLink: LinkEnd {
    var waiting: [(bytes: [UInt8], source: SocketAddress, isControl: Bool)] = []
    private(set) var sent: [(bytes: [UInt8], to: SocketAddress?)] = []

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        for var item in waiting {
            item.bytes.withUnsafeMutableBytes {
                var packet = ReceivedPacket($0, arrival: now, source: item.source, isOnControlPort: item.isControl)
                deliver(&packet)
            }
        }
        waiting = []
    }

    func send(_ packet: inout OutgoingPacket, now: HostTime) -> Bool {
        sent.append((Array(packet.bytes), packet.destination))
        return true
    }
}

@Suite("A link that several streams share") struct SharedLinkTests {
    private let lower = ScriptedLink()

    private func address(_ port: UInt16) -> SocketAddress { SocketAddress(IPAddress(v4: 0x7f00_0001), port: port) }

    private func rtp(_ sequence: UInt8, ssrc: UInt8) -> [UInt8] { [0x80, 0, 0, sequence, 0, 0, 0, 0, 0, 0, 0, ssrc, 1, 2] }

    private func receive(_ links: [SharedLink], at now: HostTime) -> [[[UInt8]]] {
        links.map { link in
            var packets: [[UInt8]] = []
            link.receive(now: now) { packets.append(Array($0.bytes)) }
            return packets
        }
    }

    private func links(_ count: Int, hasControlPort: Bool = false) -> [SharedLink] {
        LinkDistributor(over: lower, hasControlPort: hasControlPort, places: count).links
    }

    @Test("hands each source's packets to a place of its own, in order")
    func distributes() {
        let links = links(3)
        lower.waiting = [1, 2, 1, 2, 1].enumerated().map { (rtp(UInt8($0), ssrc: $1), address(5000 + UInt16($1)), false) }
        let got = receive(links, at: .zero)
        #expect(got[0] == [rtp(0, ssrc: 1), rtp(2, ssrc: 1), rtp(4, ssrc: 1)])
        #expect(got[1] == [rtp(1, ssrc: 2), rtp(3, ssrc: 2)])
        #expect(got[2].isEmpty)
    }

    @Test("counts the packets of a source for which there is no place, and hands them to nobody")
    func full() {
        let links = links(1)
        lower.waiting = [(rtp(0, ssrc: 1), address(5001), false), (rtp(0, ssrc: 2), address(5002), false)]
        #expect(receive(links, at: .zero) == [[rtp(0, ssrc: 1)]])
        #expect(links[0].statistics[.stranger] == 1)
    }

    @Test("gives a place back that nobody accepted for a second, and keeps one that was accepted")
    func release() {
        let links = links(2)
        lower.waiting = [(rtp(0, ssrc: 1), address(5001), false), (rtp(0, ssrc: 2), address(5002), false)]
        _ = receive(links, at: .zero)
        links[0].setPeer(LinkPeer(media: address(5001)))
        lower.waiting = [(rtp(0, ssrc: 3), address(5003), false)]
        #expect(receive(links, at: HostTime(milliseconds: 500)) == [[], []])
        lower.waiting = [(rtp(1, ssrc: 3), address(5003), false), (rtp(1, ssrc: 1), address(5001), false)]
        #expect(receive(links, at: HostTime(milliseconds: 1000)) == [[rtp(1, ssrc: 1)], [rtp(1, ssrc: 3)]])
    }

    @Test("keeps a stream together that goes on from another address")
    func moved() {
        let links = links(2)
        lower.waiting = [(rtp(0, ssrc: 1), address(5001), false)]
        _ = receive(links, at: .zero)
        links[0].setPeer(LinkPeer(media: address(5001)))
        lower.waiting = [(rtp(1, ssrc: 1), address(6001), false)]
        #expect(receive(links, at: .zero) == [[rtp(1, ssrc: 1)], []])
    }

    @Test("gives a second caller under the same SSRC, who does not go on where the first one stands, a place of his own")
    func sameSSRC() {
        let links = links(2)
        lower.waiting = [(rtp(9, ssrc: 1), address(5001), false)]
        _ = receive(links, at: .zero)
        links[0].setPeer(LinkPeer(media: address(5001)))
        lower.waiting = [
            (rtp(3, ssrc: 1), address(5002), false), (rtp(10, ssrc: 1), address(5001), false),
            (rtp(4, ssrc: 1), address(5002), false),
        ]
        #expect(receive(links, at: .zero) == [[rtp(10, ssrc: 1)], [rtp(3, ssrc: 1), rtp(4, ssrc: 1)]])
        lower.waiting = [(rtp(5, ssrc: 1), address(6002), false), (rtp(11, ssrc: 1), address(6001), false)]
        #expect(receive(links, at: .zero) == [[rtp(11, ssrc: 1)], [rtp(5, ssrc: 1)]], "each goes on from elsewhere")
    }

    @Test("hands RTCP to the stream whose control port it comes from, and no garbage to anybody")
    func control() {
        let links = links(2, hasControlPort: true)
        lower.waiting = [(rtp(0, ssrc: 1), address(5001), false), (rtp(0, ssrc: 2), address(5003), false)]
        _ = receive(links, at: .zero)
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 2]
        lower.waiting = [(report, address(5004), true), (report, address(7000), true), ([1, 2, 3], address(7001), false)]
        #expect(receive(links, at: .zero) == [[], [report]])
        #expect(links[0].statistics[.stranger] == 2)
    }

    @Test("sends to the place's own peer, and RTCP to the next port where it has its own")
    func sends() {
        for hasControlPort in [true, false] {
            let links = links(2, hasControlPort: hasControlPort)
            links[1].setPeer(LinkPeer(media: address(5001)))
            #expect(links[1].send(copying: [1], on: .media, now: .zero))
            #expect(lower.sent.last?.to == address(5001))
            #expect(links[1].send(copying: [2], on: .control, now: .zero))
            #expect(lower.sent.last?.to == address(hasControlPort ? 5002 : 5001))
            #expect(!links[0].send(copying: [3], on: .media, now: .zero))
            #expect(links[0].statistics.sentToNobody == 1 && links[1].statistics.sent == 2)
        }
    }

    @Test("frees a place whose call is over")
    func reset() {
        let links = links(1)
        lower.waiting = [(rtp(0, ssrc: 1), address(5001), false)]
        _ = receive(links, at: .zero)
        links[0].setPeer(LinkPeer(media: address(5001)))
        links[0].reset()
        lower.waiting = [(rtp(0, ssrc: 2), address(5002), false)]
        #expect(receive(links, at: .zero) == [[rtp(0, ssrc: 2)]])
    }
}
