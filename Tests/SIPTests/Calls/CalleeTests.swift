import SIP
import Testing

/// RFC 3261 sections 13.3 and 17.2.1, RFC 6026.
@Suite("A call that comes") struct CalleeTests {
    @Test("100 at once, then ringing, then 200 until the ACK comes") func answered() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer, [(.recordRoute, "<sip:p@192.0.2.9;lr>")]))
        let (handle, incoming) = try #require(bench.incoming.first)
        #expect(bench.codes == [100])
        #expect(incoming.body == offer)
        #expect(incoming.from.displayName == "Peer")
        #expect(incoming.account == nil)
        #expect(incoming.isFromAccountServer == false)
        try bench.agent.ring(handle, now: bench.now)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 180, 200])
        let ok = try bench.response()
        #expect(ok.headers.to.tag?.utf8.count == 16)
        #expect(ok.headers.to.tag == bench.responses[1].headers.to.tag)
        #expect(ok.headers.contacts.count == 1)
        #expect(ok.headers.addresses(.recordRoute).count == 1)
        let start = bench.now
        bench.advance(8000)
        #expect(bench.sent.dropFirst(3).map { $0.time.milliseconds(since: start) } == [500, 1500, 3500, 7500])
        call.toTag = ok.headers.to.tag
        bench.feed(call.request(.ack))
        guard case .acknowledged(handle, nil)? = bench.events.last else {
            Issue.record("not told of the ACK")
            return
        }
        let count = bench.sent.count
        bench.advance(60_000)
        #expect(bench.sent.count == count)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        let bye = try bench.request(.bye)
        #expect(bye.uri.text == "sip:peer@192.0.2.9:5060")
        #expect(bye.headers.addresses(.route).map(\.uri.text) == ["sip:p@192.0.2.9;lr"])
        #expect(bye.headers.from.tag == call.toTag)
        #expect(bye.headers.to.tag == "caller")
    }

    @Test("a body that may be passed over is, and leaves the offer to us; another that cannot be read is refused")
    func optionalBody() throws {
        let bench = Bench()
        let isup = Body(contentType: "application/isup", bytes: [1, 2, 3])
        var call = PeerCall()
        bench.feed(call.request(.invite, body: isup))
        #expect(bench.codes == [100, 415] || bench.codes == [415])
        call = PeerCall(callID: "optional")
        bench.feed(call.request(.invite, body: isup, [(.contentDisposition, "signal; handling=optional")]))
        let (handle, _) = try #require(bench.incoming.last)
        try bench.agent.answer(handle, body: offer, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.ack, body: answerBody))
        guard case .acknowledged(handle, answerBody)? = bench.events.last else {
            Issue.record("the answer in the ACK is lost: \(bench.events)")
            return
        }
    }

    @Test("the same INVITE again gets the last response again, and no second call") func repetition() throws {
        let bench = Bench()
        let invite = PeerCall().request(.invite, branch: "z9hG4bKi", body: offer)
        bench.feed(invite)
        bench.feed(invite)
        try bench.agent.ring(try #require(bench.incoming.first?.0), now: bench.now)
        bench.collect()
        bench.feed(invite)
        #expect(bench.codes == [100, 100, 180, 180])
        #expect(bench.incoming.count == 1)
    }

    @Test("a refusal is repeated until its ACK, and forgotten after it") func refused() throws {
        let bench = Bench()
        let call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.reject(
            try #require(bench.incoming.first?.0), status: 488,
            warning: Warning(code: 304, agent: "yodel", phrase: "no common codec"), now: bench.now)
        bench.collect()
        bench.advance(1600)
        #expect(bench.codes == [100, 488, 488, 488])
        #expect(try bench.response().headers.warnings.first?.code == 304)
        bench.feed(call.request(.ack, branch: "z9hG4bKi"))
        bench.advance(60_000)
        #expect(bench.codes.count == 4)
        #expect(bench.ended.count == 1)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("who rings when it is hung up hears 480, whatever Expires says: only a refusal is 603", arguments: [nil, "30"])
    func unavailable(expires: String?) throws {
        let bench = Bench()
        let fields: [(HeaderName, String)] = expires.map { [(HeaderName.expires, $0)] } ?? []
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer, fields))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.ring(handle, now: bench.now)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 180, 480])
        #expect(bench.ended.map(\.1.cause) == [.local])
    }

    @Test("a caller that never acknowledges: BYE after 64 T1") func noAck() throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.answer(try #require(bench.incoming.first?.0), body: answerBody, now: bench.now)
        bench.collect()
        bench.advance(32_001)
        #expect(bench.requests(.bye).count == 1)
        #expect(bench.ended.first?.1.cause == .notAcknowledged)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("hanging up before the ACK waits for it with the BYE") func earlyHangUp() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(bench.requests(.bye).isEmpty)
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.ack))
        #expect(bench.requests(.bye).count == 1)
        #expect(bench.ended.map(\.1.cause) == [.local])
    }

    @Test("what was hung up before the ACK is open until then; who cannot wait says BYE without it") func gone() throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        #expect(!bench.agent.hasOpenRequests)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(bench.agent.hasOpenRequests && bench.requests(.bye).isEmpty)
        #expect(bench.agent.hangUpUnacknowledged(now: bench.now))
        bench.collect()
        bench.answer(try bench.request(.bye), 200)
        #expect(bench.ended.map(\.1.cause) == [.local])
        #expect(!bench.agent.hasOpenRequests)
        #expect(!bench.agent.hangUpUnacknowledged(now: bench.now))
    }

    @Test("without an offer in INVITE, 200 has ours and ACK brings the answer") func offerless() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite))
        let (handle, incoming) = try #require(bench.incoming.first)
        #expect(incoming.body == nil)
        try bench.agent.answer(handle, body: offer, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.ack, body: answerBody))
        guard case .acknowledged(_, answerBody)? = bench.events.last else {
            Issue.record("the answer was not handed on")
            return
        }
    }

    @Test("nobody answers: a provisional each minute, 480 at the limit") func ringsOut() throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.ring(try #require(bench.incoming.first?.0), now: bench.now)
        bench.collect()
        bench.advance(179_000)
        #expect(bench.codes == [100, 180, 180, 180])
        bench.advance(1001)
        #expect(bench.codes.last == 480)
        #expect(bench.ended.first?.1.cause == .noAnswer)
    }

    @Test(
        "the caller's Expires may end it sooner, with 487; 0 says nothing",
        arguments: [("20", 20_000.0, 487), ("0", 180_000, 480), ("1000", 180_000, 480)])
    func expires(value: String, limit: Double, status: Int) throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer, [(.expires, value)]))
        bench.advance(limit - 1)
        #expect(bench.codes == [100] && bench.ended.isEmpty)
        bench.advance(2)
        #expect(bench.codes == [100, status])
        #expect(bench.ended.map(\.1.cause) == [.noAnswer] && bench.ended.map(\.1.status) == [status])
    }

    @Test("the same request by another way: 482") func merged() throws {
        let bench = Bench()
        let call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKone", body: offer))
        bench.feed(call.request(.invite, branch: "z9hG4bKtwo", body: offer))
        #expect(bench.codes == [100, 482])
        #expect(bench.incoming.count == 1)
    }

    @Test("a request of RFC 2543 is served") func rfc2543() throws {
        let bench = Bench()
        let invite = """
            INVITE sip:me@192.0.2.1 SIP/2.0
            Via: SIP/2.0/UDP 192.0.2.9
            From: <sip:old@example.com>
            To: <sip:me@example.com>
            Call-ID: old
            CSeq: 5 INVITE


            """
        bench.feed(invite)
        bench.feed(invite)
        #expect(bench.incoming.count == 1)
        #expect(bench.codes == [100, 100])
        try bench.agent.reject(try #require(bench.incoming.first?.0), status: 486, now: bench.now)
        bench.collect()
        let tag = try #require(bench.response().headers.to.tag)
        let ack = invite.replacing("INVITE", with: "ACK")
        bench.feed(ack.replacing("<sip:me@example.com>", with: "<sip:me@example.com>;tag=\(tag)"))
        bench.advance(10_000)
        #expect(bench.codes == [100, 100, 486])
    }

    @Test("responses go to the source address only; its port with rport, else the Via's") func responseAddress() throws {
        let bench = Bench()
        let source = SignallingSource(transport: .udp, remote: SignallingAddress(host: "198.51.100.4", port: 40_000))
        let text = """
            OPTIONS sip:me@192.0.2.1 SIP/2.0
            Via: SIP/2.0/UDP 10.0.0.1:5070;branch=z9hG4bKr;rport
            From: <sip:a@example.com>;tag=1
            To: <sip:me@example.com>
            Call-ID: r
            CSeq: 1 OPTIONS


            """
        bench.feed(wire(text), from: source)
        #expect(bench.sent.last?.destination.address == source.remote)
        #expect(try bench.response().headers.topVia?.received == "198.51.100.4")
        #expect(try bench.response().headers.topVia?.responsePort == 40_000)
        bench.feed(wire(text.replacing(";rport", with: ";maddr=192.0.2.200")), from: source)
        #expect(bench.sent.last?.destination.address == SignallingAddress(host: "198.51.100.4", port: 5070))
    }

    @Test("who called over a stream is reached over that one, wherever its Contact points") func streamOfTheCaller() throws {
        let bench = Bench()
        bench.peer = SignallingSource(
            transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 40_404),
            connection: SignallingConnectionID(number: 3))
        let (handle, _) = try bench.establishedIncoming(contact: "<sip:peer@192.0.2.9:5060;transport=tcp>")
        for (request, send) in [
            (SIP.Method.info, { try bench.agent.sendInfo(handle, body: Body(contentType: "a/b", bytes: [1]), now: bench.now) }),
            (.bye, { try bench.agent.hangUp(handle, now: bench.now) }),
        ] {
            try send()
            bench.collect()
            #expect(try bench.request(request).uri.sip?.port == 5060)
            #expect(bench.sent.last?.destination.connection == SignallingConnectionID(number: 3), "\(request)")
        }
        // It is gone while the BYE waits.
        bench.agent.transportFailed(bench.peer.destinationOfStream, now: bench.now)
        bench.collect()
        bench.advance(40_000)
        #expect(bench.agent.stateCount == 0)
    }
}

extension SignallingSource {
    fileprivate var destinationOfStream: SignallingDestination {
        SignallingDestination(transport: transport, address: remote, connection: connection)
    }
}
