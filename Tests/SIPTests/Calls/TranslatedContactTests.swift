import SIP
import Testing

/// A peer behind a NAT that is met at 192.0.2.9, and whose Contact names its own address inside.
@Suite("A peer whose Contact names an address behind its NAT") struct TranslatedContactTests {
    private let met = SignallingAddress(host: "192.0.2.9", port: 5060)

    private func places(_ bench: Bench) -> [String] {
        bench.sent.compactMap { sent in
            if case .request = sent.message { "\(sent.destination.transport) \(sent.destination.address)" } else { nil }
        }
    }

    @Test(
        "that was called without a server between is reached where it was met",
        arguments: ["10.78.2.2", "172.16.0.1", "192.168.1.2", "100.64.0.7", "[fd00::2]"])
    func called(inside: String) throws {
        let bench = Bench()
        let call = try bench.agent.invite(uri("sip:peer@192.0.2.9;transport=tcp"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.invite), 200, [(.contact, "<sip:peer@\(inside):5062>"), (.allow, "INVITE, ACK, BYE")],
            body: answerBody)
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(bench.requests.map(\.method) == [.invite, .ack, .bye])
        #expect(places(bench) == Array(repeating: "tcp \(met)", count: 3))
        #expect(try bench.request(.bye).uri.text == "sip:peer@\(inside):5062")
    }

    @Test("that calls is reached where it called from, by the same stream") func calling() throws {
        let bench = Bench()
        bench.peer = SignallingSource(transport: .tcp, remote: met, connection: SignallingConnectionID(number: 4))
        var peer = PeerCall()
        var invite = peer.request(.invite, body: offer)
        invite.headers.set(.contact, "<sip:peer@10.78.1.2:5062;transport=tcp>")
        bench.feed(invite)
        let (handle, _) = try #require(bench.incoming.first)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        peer.toTag = try bench.response().headers.to.tag
        bench.feed(peer.request(.ack))
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(places(bench) == ["tcp \(met)"])
        #expect(bench.sent.last?.destination.connection == SignallingConnectionID(number: 4))
    }

    @Test("is believed where it was met inside as well, or at a server that takes part") func inside() throws {
        let bench = Bench()
        let call = try bench.agent.invite(uri("sip:peer@10.0.0.9"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 200, [(.contact, "<sip:peer@10.0.0.12>")], body: answerBody)
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(places(bench) == ["udp 10.0.0.9:5060", "udp 10.0.0.12:5060", "udp 10.0.0.12:5060"])
        bench.clear()
        bench.agent.add(Account(id: AccountID("a"), address: SIPURI(user: "101", host: "192.0.2.9")))
        _ = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: AccountID("a"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 200, [(.contact, "<sip:102@10.0.0.12>")], body: answerBody)
        #expect(places(bench) == ["udp 192.0.2.9:5060", "udp 10.0.0.12:5060"])
    }
}
