import Realtime
import SIP
import Testing

/// RFC 3261 section 18.1.1: what is longer than 1,300 octets goes by TCP.
@Suite("Long requests") struct LargeRequestTests {
    private let long = Body(
        contentType: "application/sdp", bytes: offer.bytes + wire(String(repeating: "a=x-more:y\n", count: 120)))
    private let peer = SignallingAddress(host: "192.0.2.9", port: 5060)

    private func call(_ bench: Bench, _ target: String = "sip:peer@192.0.2.9") throws -> CallHandle {
        let call = try bench.agent.invite(uri(target), body: long, now: bench.now)
        bench.collect()
        return call
    }

    private func refuseTCP(_ bench: Bench) {
        bench.agent.transportFailed(SignallingDestination(transport: .tcp, address: peer), now: bench.now)
        bench.collect()
    }

    @Test("one of 1,301 octets goes by TCP, one of 1,300 by UDP") func border() throws {
        for (size, transport) in [(1300, SignallingProtocol.udp), (1301, .tcp)] {
            let probe = Bench()
            _ = try probe.agent.invite(uri("sip:peer@192.0.2.9"), body: Body(contentType: "a/b", bytes: [120]), now: probe.now)
            probe.collect()
            // The length of the body stands there in one digit, and in three or four later.
            let rest = try probe.request(.invite).bytes.count - 1
            let bench = Bench()
            let digits = size - rest >= 1002 ? 3 : 2
            let body = Body(contentType: "a/b", bytes: [UInt8](repeating: 120, count: size - rest - digits))
            _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: body, now: bench.now)
            bench.collect()
            #expect(try bench.request(.invite).bytes.count == size)
            #expect(bench.sent.last?.destination.transport == transport)
        }
    }

    @Test("its Via says TCP, its Contact stays where calls come") func via() throws {
        let bench = Bench()
        _ = try call(bench)
        let invite = try bench.request(.invite)
        #expect(bench.sent.last?.destination == SignallingDestination(transport: .tcp, address: peer))
        #expect(invite.headers.topVia?.transport == "TCP")
        #expect(invite.headers.contacts.first?.uri.text == "sip:yodel@192.0.2.1:5060")
        bench.advance(3000)
        #expect(bench.requests.count == 1, "TCP repeats by itself")
    }

    @Test("where TCP is refused it goes as a datagram, and the next one at once") func refused() throws {
        let bench = Bench()
        _ = try call(bench)
        refuseTCP(bench)
        let (first, second) = (try #require(bench.requests.first), try bench.request(.invite))
        #expect(bench.sent.last?.destination.transport == .udp)
        #expect(second.headers.topVia?.transport == "UDP")
        #expect(second.headers.cSeq == first.headers.cSeq)
        #expect(second.headers.topVia?.branch != first.headers.topVia?.branch)
        bench.answer(second, 200, body: answerBody)
        #expect(bench.answered.count == 1)
        bench.clear()
        _ = try call(bench)
        #expect(bench.sent.last?.destination.transport == .udp)
        bench.advance(601_000)
        bench.clear()
        _ = try call(bench)
        #expect(bench.sent.last?.destination.transport == .tcp, "after ten minutes it is tried again")
    }

    @Test("once the server has said something, a stream that breaks is no reason to ask it twice") func brokenLater() throws {
        let bench = Bench()
        _ = try call(bench)
        bench.answer(try bench.request(.invite), 180)
        refuseTCP(bench)
        #expect(bench.requests(.invite).count == 1)
        #expect(bench.ended.first?.1.cause == .network)
    }

    @Test("whoever has hung up meanwhile calls nobody by datagram") func abandoned() throws {
        let bench = Bench()
        let call = try call(bench)
        try bench.agent.hangUp(call, now: bench.now)
        refuseTCP(bench)
        #expect(bench.requests(.invite).count == 1)
    }

    @Test("CANCEL takes the INVITE's way") func cancel() throws {
        let bench = Bench()
        let call = try call(bench)
        bench.answer(try bench.request(.invite), 180)
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(bench.sent.last?.destination.transport == .tcp)
        #expect(try bench.request(.cancel).headers.topVia == bench.request(.invite).headers.topVia)
    }

    @Test("a long re-INVITE goes by TCP, the BYE after it by UDP") func modification() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: long, now: bench.now)
        bench.collect()
        #expect(bench.sent.last?.destination.transport == .tcp)
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(try bench.request(.bye).headers.topVia?.transport == "UDP")
    }

    @Test("an ACK with a long answer goes by TCP, and by UDP where that is refused") func acknowledgement() throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: nil, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        try bench.agent.acknowledge(handle, body: long, now: bench.now)
        bench.collect()
        #expect(bench.sent.last?.destination.transport == .tcp)
        refuseTCP(bench)
        let acks = bench.requests(.ack)
        #expect(acks.count == 2)
        #expect(acks.map { $0.headers.topVia?.transport } == ["TCP", "UDP"])
        #expect(acks.map(\.body) == [long.bytes, long.bytes])
    }

    @Test("what goes by TCP anyway, or by TLS, stays there") func streams() throws {
        let bench = Bench()
        _ = try call(bench, "sips:peer@192.0.2.9")
        #expect(bench.sent.last?.destination.transport == .tls)
        bench.agent.transportFailed(try #require(bench.sent.last?.destination), now: bench.now)
        bench.collect()
        #expect(bench.requests.count == 1, "never from TLS to a datagram")
        #expect(bench.ended.first?.1.cause == .network)
    }
}
