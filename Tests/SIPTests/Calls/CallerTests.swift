import SIP
import Testing

/// RFC 3261 sections 13.2 and 17.1.1.
@Suite("A call that we make") struct CallerTests {
    private func dial(_ bench: Bench, body: Body? = offer) throws -> CallHandle {
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: body, now: bench.now)
        bench.collect()
        return handle
    }

    @Test("INVITE has all that it needs") func inviteIsComplete() throws {
        let bench = Bench()
        _ = try dial(bench)
        let invite = try bench.request(.invite)
        let via = try #require(invite.headers.topVia)
        #expect(via.transport == "UDP")
        #expect(via.host == "192.0.2.1")
        #expect(via.parameters.contains("rport"))
        // The cookie and 128 random bits.
        #expect(try #require(via.transactionBranch).utf8.count == 7 + 32)
        #expect(try #require(invite.headers.from.tag).utf8.count == 16)
        #expect(invite.headers.to.tag == nil)
        #expect(invite.headers.maxForwards == 70)
        #expect(invite.headers.contacts.first?.uri.text == "sip:yodel@192.0.2.1:5060")
        #expect(Body(headers: invite.headers, bytes: invite.body) == offer)
        #expect(bench.sent[0].destination.address == bench.peer.remote)
    }

    @Test("timer A doubles from T1, timer B ends after 64 T1") func retransmission() throws {
        let bench = Bench()
        let handle = try dial(bench)
        let start = bench.now
        bench.advance(40_000)
        let times = bench.sent.map { $0.time.milliseconds(since: start) }
        #expect(times == [0, 500, 1500, 3500, 7500, 15_500, 31_500])
        #expect(bench.ended.count == 1)
        #expect(bench.ended.first?.0 == handle)
        #expect(bench.ended.first?.1.cause == .timeout)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("a provisional stops the repetitions; the ring limit cancels") func ringing() throws {
        let bench = Bench { $0.ringingLimit = 60 }
        _ = try dial(bench)
        bench.answer(try bench.request(.invite), 180)
        bench.advance(59_000)
        #expect(bench.requests.count == 1)
        #expect(bench.progress.map(\.status) == [180])
        bench.advance(1001)
        #expect(bench.ended.first?.1.cause == .noAnswer)
        #expect(bench.requests(.cancel).count == 1)
    }

    @Test("a call that rings goes on when a datagram to the same place could not be sent") func failedDatagram() throws {
        let bench = Bench()
        _ = try dial(bench)
        let invite = try bench.request(.invite)
        bench.answer(invite, 180)
        bench.agent.transportFailed(SignallingDestination(transport: .udp, address: bench.peer.remote), now: bench.now)
        bench.collect()
        #expect(bench.ended.isEmpty)
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.answered.count == 1)
    }

    @Test("2xx: ACK with a new branch, and again for each repetition") func success() throws {
        let bench = Bench()
        let handle = try dial(bench)
        let invite = try bench.request(.invite)
        bench.answer(invite, 200, [(.recordRoute, "<sip:p2@192.0.2.9;lr>, <sip:p1@192.0.2.9;lr>")], body: answerBody)
        bench.answer(invite, 200, [(.recordRoute, "<sip:p2@192.0.2.9;lr>, <sip:p1@192.0.2.9;lr>")], body: answerBody)
        let acks = bench.requests(.ack)
        #expect(acks.count == 2)
        #expect(acks.first?.bytes == acks.last?.bytes)
        let ack = try bench.request(.ack)
        #expect(ack.headers.topVia?.branch != invite.headers.topVia?.branch)
        #expect(ack.headers.cSeq.number == invite.headers.cSeq.number)
        #expect(ack.uri.text == "sip:peer@192.0.2.9:5060")
        #expect(ack.headers.addresses(.route).map(\.uri.text) == ["sip:p1@192.0.2.9;lr", "sip:p2@192.0.2.9;lr"])
        #expect(bench.answered.count == 1)
        #expect(bench.answered.first?.1.body == answerBody)
        #expect(bench.answered.first?.1.needsAnswer == false)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        let bye = try bench.request(.bye)
        #expect(bye.headers.cSeq.number == invite.headers.cSeq.number + 1)
        #expect(bye.headers.to.tag == "peer")
        bench.answer(bye, 200)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test(
        "an ACK whose next hop was not found goes when its 2xx comes again, with its answer; so does that of a change",
        arguments: [true, false])
    func lostAcknowledgement(hasOffer: Bool) throws {
        let bench = Bench()
        let edge = "edge.example.com"
        let fields = [(HeaderName.recordRoute, "<sip:\(edge);lr>")]
        let handle = try dial(bench, body: hasOffer ? offer : nil)
        let invite = try bench.request(.invite)
        bench.names[edge] = []
        bench.answer(invite, 200, fields, body: answerBody)
        if !hasOffer { try bench.agent.acknowledge(handle, body: offer, now: bench.now) }
        bench.collect()
        bench.answer(invite, 200, fields, body: answerBody)
        #expect(bench.requests(.ack).isEmpty)
        bench.names[edge] = nil
        for _ in 0..<2 { bench.answer(invite, 200, fields, body: answerBody) }
        let acks = bench.requests(.ack)
        #expect(acks.count == 2 && acks.first?.bytes == acks.last?.bytes)
        #expect(acks.first?.body == (hasOffer ? [] : offer.bytes))
        #expect(bench.answered.count == 1)
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        let change = try bench.request(.invite)
        bench.names[edge] = []
        bench.answer(change, 200, body: answerBody)
        bench.names[edge] = nil
        bench.answer(change, 200, body: answerBody)
        #expect(bench.requests(.ack).map(\.headers.cSeq.number) == [1, 1, 2])
        #expect(bench.modified.count == 1 && bench.ended.isEmpty)
    }

    @Test("a refusal is acknowledged on its own branch, again when it comes again") func refusal() throws {
        let bench = Bench()
        _ = try dial(bench)
        let invite = try bench.request(.invite)
        for _ in 0..<2 {
            bench.answer(
                invite, 486, [(.reason, "Q.850;cause=17"), (.warning, "399 h \"in a meeting\""), (.retryAfter, "60")])
        }
        let acks = bench.requests(.ack)
        #expect(acks.count == 2)
        #expect(acks.first?.headers.topVia == invite.headers.topVia)
        #expect(acks.first?.headers.to.tag == "peer")
        #expect(acks.first?.uri == invite.uri)
        let end = try #require(bench.ended.first?.1)
        #expect(end.cause == .refused)
        #expect(end.status == 486)
        #expect(end.reasons.first?.cause == 17)
        #expect(end.warnings.first?.phrase == "in a meeting")
        #expect(end.retryAfter == 60)
        #expect(bench.ended.count == 1)
        bench.advance(33_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("without an offer in INVITE the 2xx brings one, and ACK the answer") func offerless() throws {
        let bench = Bench()
        let handle = try dial(bench, body: nil)
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        #expect(bench.answered.first?.1.needsAnswer == true)
        #expect(bench.requests(.ack).isEmpty)
        try bench.agent.acknowledge(handle, body: offer, now: bench.now)
        bench.collect()
        let ack = try bench.request(.ack)
        #expect(Body(headers: ack.headers, bytes: ack.body) == offer)
    }

    @Test("an offer that nobody answers ends the call with ACK and BYE") func owedAnswer() throws {
        let bench = Bench()
        _ = try dial(bench, body: nil)
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        bench.advance(32_001)
        #expect(Array(bench.requests.dropFirst().map(\.method.name).prefix(2)) == ["ACK", "BYE"])
        #expect(bench.ended.count == 1)
    }

    @Test("3xx is told with its contacts and followed by nobody") func redirect() throws {
        let bench = Bench()
        _ = try dial(bench)
        bench.answer(try bench.request(.invite), 302, [(.contact, "<sip:other@192.0.2.7>;q=0.5, <tel:+1900>")])
        let end = try #require(bench.ended.first?.1)
        #expect(end.cause == .redirected)
        #expect(end.contacts.map(\.uri.text) == ["sip:other@192.0.2.7", "tel:+1900"])
        bench.advance(1000)
        #expect(bench.requests(.invite).count == 1)
    }

    @Test("503, a time-out and a refused connection try the next hop; a 404 does not") func failOver() throws {
        let bench = Bench()
        let hops = (1...4).map {
            ServerHop(transport: .udp, address: SignallingAddress(host: "192.0.2.\(50 + $0)", port: 5060))
        }
        bench.names["pbx.example.com"] = hops
        _ = try bench.agent.invite(uri("sip:a@pbx.example.com"), body: offer, now: bench.now)
        bench.collect()
        let first = try bench.request(.invite)
        bench.answer(first, 503)
        #expect(bench.requests(.ack).count == 1)
        #expect(bench.sent.last?.destination.address == hops[1].address)
        bench.agent.transportFailed(hops[1].destination, now: bench.now)
        bench.collect()
        #expect(bench.sent.last?.destination.address == hops[2].address)
        bench.advance(32_001)
        #expect(bench.sent.last?.destination.address == hops[3].address)
        let last = try bench.request(.invite)
        #expect(last.headers.topVia?.branch != first.headers.topVia?.branch)
        bench.answer(last, 404)
        #expect(bench.ended.first?.1.status == 404)
    }

    @Test("sips: takes TLS hops only, and none means no call") func secure() throws {
        let bench = Bench()
        let address = SignallingAddress(host: "192.0.2.9", port: 5061)
        bench.names["a.example.com"] = [
            ServerHop(transport: .udp, address: address),
            ServerHop(transport: .tls, address: address, serverName: "a.example.com"),
        ]
        _ = try bench.agent.invite(uri("sips:x@a.example.com"), body: offer, now: bench.now)
        bench.collect()
        #expect(bench.sent.map(\.destination.transport) == [.tls])
        #expect(bench.sent.first?.destination.serverName == "a.example.com")
        #expect(try bench.request(.invite).headers.contacts.first?.uri.isSecure == true)
        bench.names["b.example.com"] = [ServerHop(transport: .tcp, address: address)]
        _ = try bench.agent.invite(uri("sips:x@b.example.com"), body: offer, now: bench.now)
        bench.collect()
        #expect(bench.sent.count == 1)
        #expect(bench.ended.first?.1.cause == .network)
    }

    @Test(
        "by TLS, a peer that gives its numeric address is verified by the name that was called; one at another address by its own"
    )
    func numericContact() throws {
        let bench = Bench()
        let address = SignallingAddress(host: "192.0.2.9", port: 5061)
        bench.names["pbx.example.com"] = [ServerHop(transport: .tls, address: address, serverName: "pbx.example.com")]
        for (route, name) in [
            ("192.0.2.9:5061", "pbx.example.com"), ("192.0.2.8:5061", "192.0.2.8"), ("192.0.2.9:5071", "192.0.2.9"),
        ] {
            let handle = try bench.agent.invite(uri("sip:a@pbx.example.com;transport=tls"), body: offer, now: bench.now)
            bench.collect()
            let recorded = (HeaderName.recordRoute, "<sip:\(route);transport=tls;lr>")
            bench.answer(try bench.request(.invite), 183, [recorded, (.require, "100rel"), (.rSeq, "1")], body: answerBody)
            bench.answer(try bench.request(.prack), 200)
            bench.answer(try bench.request(.invite), 200, [recorded], body: answerBody)
            try bench.agent.hangUp(handle, now: bench.now)
            bench.collect()
            let places = bench.sent.suffix(4).map(\.destination)
            #expect(places.map(\.serverName) == ["pbx.example.com", name, name, name])
            #expect(places.allSatisfy { $0.transport == .tls })
            bench.answer(try bench.request(.bye), 200)
            bench.clear()
        }
    }

    @Test("by TLS, who is hung up on after another phone has answered is verified by the name that was called")
    func numericContactOfAnother() throws {
        let bench = Bench()
        let address = SignallingAddress(host: "192.0.2.9", port: 5061)
        bench.names["pbx.example.com"] = [ServerHop(transport: .tls, address: address, serverName: "pbx.example.com")]
        _ = try bench.agent.invite(uri("sips:a@pbx.example.com"), body: offer, now: bench.now)
        bench.collect()
        let contact = [(HeaderName.contact, "<sips:peer@192.0.2.9:5061>")]
        for tag in ["first", "second"] { bench.answer(try bench.request(.invite), 200, tag: tag, contact, body: answerBody) }
        #expect(bench.requests.map(\.method) == [.invite, .ack, .ack, .bye])
        #expect(bench.sent.allSatisfy { $0.destination.serverName == "pbx.example.com" })
    }

    @Test("header fields in a URI that is called are never obeyed") func embeddedFields() throws {
        let bench = Bench()
        _ = try bench.agent.invite(
            uri("sip:a@192.0.2.9;method=BYE?Route=%3Csip:evil.example.com%3E"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        #expect(invite.uri.text == "sip:a@192.0.2.9")
        #expect(!invite.headers.contains(.route))
    }

    @Test(
        "what no user part may have is escaped in request line and To; what is escaped stays as it is",
        arguments: [
            ("*21*4930#", "*21*4930%23"), ("*21*4930%23", "*21*4930%23"), ("m%C3%BCller", "m%C3%BCller"),
            ("müller", "m%C3%BCller"), ("[a]^b|c", "%5Ba%5D%5Eb%7Cc"), ("+49(30);ext=7?&=$,", "+49(30);ext=7?&=$,"),
        ])
    func escapedUser(written: String, sent: String) throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:\(written)@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        #expect(invite.uri.text == "sip:\(sent)@192.0.2.9")
        #expect(invite.headers.to.uri.text == "sip:\(sent)@192.0.2.9")
    }

    @Test("a strict router becomes the request URI") func strictRoute() throws {
        let bench = Bench()
        let handle = try dial(bench)
        bench.answer(try bench.request(.invite), 200, [(.recordRoute, "<sip:strict@192.0.2.8>")], body: answerBody)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        let bye = try bench.request(.bye)
        #expect(bye.uri.text == "sip:strict@192.0.2.8")
        #expect(bye.headers.addresses(.route).map(\.uri.text) == ["sip:peer@192.0.2.9:5060"])
        #expect(bench.sent.last?.destination.address.host == "192.0.2.8")
    }

    @Test("a response with two Vias, or of another branch, is nobody's") func strays() throws {
        let bench = Bench()
        _ = try dial(bench)
        let invite = try bench.request(.invite)
        var doubled = invite
        doubled.headers.append(.via, "SIP/2.0/UDP 255.255.255.255;branch=z9hG4bKx")
        bench.answer(doubled, 200, body: answerBody)
        var foreign = invite
        foreign.headers.set(.via, "SIP/2.0/UDP 192.0.2.1;branch=z9hG4bKother")
        bench.answer(foreign, 200, body: answerBody)
        #expect(bench.answered.isEmpty)
        #expect(bench.drops == [.strayResponse, .strayResponse])
    }
}
