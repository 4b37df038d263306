import SIP
import Testing

/// RFC 3262.
@Suite("Reliable provisional responses") struct ReliableProvisionalTests {
    private let early: [(HeaderName, String)] = [(.require, "100rel"), (.rSeq, "7")]

    @Test("each gets one PRACK; repetitions and those out of turn get none") func caller() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        #expect(invite.headers.lists("100rel", in: .supported))
        bench.answer(invite, 183, early, body: answerBody)
        bench.answer(invite, 183, early, body: answerBody)
        bench.answer(invite, 180, [(.require, "100rel"), (.rSeq, "9")])
        let pracks = bench.requests(.prack)
        #expect(pracks.count == 1)
        #expect(pracks.first?.headers.rAck == RAck(responseNumber: 7, cSeq: invite.headers.cSeq))
        #expect(pracks.first?.headers.to.tag == "peer")
        #expect(pracks.first?.headers.cSeq.number == 2)
        bench.answer(invite, 180, [(.require, "100rel"), (.rSeq, "8")])
        #expect(bench.requests(.prack).count == 2)
        #expect(bench.progress.map(\.status) == [183, 180])
        bench.answer(invite, 200, body: answerBody)
        #expect(try bench.request(.ack).headers.cSeq.number == 1)
    }

    @Test("a PRACK that is challenged is sent again with the next number of its own dialog, whichever phone rang first")
    func challengedPrack() throws {
        let bench = Bench()
        let id = AccountID("a")
        bench.agent.add(
            Account(
                id: id, address: SIPURI(user: "101", host: "192.0.2.9"), password: Password("secret-101"),
                followsSeenAddress: false))
        _ = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: id, body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 180, tag: "desk")
        bench.answer(invite, 183, tag: "mobile", early, body: answerBody)
        bench.answer(
            try bench.request(.prack), 407, [(.proxyAuthenticate, "Digest realm=\"x\", nonce=\"1\", algorithm=MD5")])
        #expect(bench.requests(.prack).map(\.headers.cSeq.number) == [2, 3])
        #expect(bench.requests(.prack).map(\.headers.to.tag) == ["mobile", "mobile"])
    }

    @Test("an offer in it is answered in PRACK, and the 2xx needs no answer then") func offerInProvisional() throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: nil, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 183, early, body: answerBody)
        #expect(bench.progress.first?.needsAnswer == true)
        #expect(bench.requests(.prack).isEmpty)
        try bench.agent.acknowledge(handle, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.prack).body == offer.bytes)
        bench.answer(invite, 200)
        #expect(bench.answered.first?.1.needsAnswer == false)
        #expect(bench.requests(.ack).count == 1)
    }

    @Test("a PRACK whose next hop was not found, or whose connection failed, goes when its response comes again")
    func lostPrack() throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: nil, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        let edge = "edge.example.com"
        let fields = early + [(HeaderName.recordRoute, "<sip:\(edge);transport=tcp;lr>")]
        bench.names[edge] = []
        bench.answer(invite, 183, fields, body: answerBody)
        try bench.agent.acknowledge(handle, body: offer, now: bench.now)
        bench.collect()
        #expect(bench.requests(.prack).isEmpty)
        let hop = ServerHop(transport: .tcp, address: bench.peer.remote)
        bench.names[edge] = [hop]
        bench.answer(invite, 183, fields, body: answerBody)
        #expect(bench.requests(.prack).count == 1)
        bench.agent.transportFailed(hop.destination, now: bench.now)
        bench.collect()
        for _ in 0..<2 { bench.answer(invite, 183, fields, body: answerBody) }
        let pracks = bench.requests(.prack)
        #expect(pracks.map(\.headers.cSeq.number) == [3, 4])
        let rAck = RAck(responseNumber: 7, cSeq: invite.headers.cSeq)
        #expect(pracks.allSatisfy { $0.body == offer.bytes && $0.headers.rAck == rAck })
        #expect(bench.progress.count == 1)
    }

    @Test("ours is repeated until PRACK, and 200 waits for it") func callee() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer, [(.supported, "100rel")]))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.ring(handle, status: 183, body: answerBody, now: bench.now)
        try bench.agent.ring(handle, now: bench.now)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        bench.advance(1600)
        #expect(bench.codes == [100, 183, 183, 183])
        let number = try #require(bench.response().headers.rSeq)
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.prack, number: 2, body: nil, [(.rAck, "\(number + 1) 1 INVITE")]))
        #expect(bench.codes.last == 481)
        bench.feed(call.request(.prack, number: 3, body: nil, [(.rAck, "\(number) 1 INVITE")]))
        #expect(bench.codes.suffix(2) == [200, 200])
        #expect(try bench.response().headers.cSeq.method == .invite)
    }

    @Test("a caller that requires it gets it for 180 too; unacknowledged for 64 T1 it is 504") func noPrack() throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer, [(.require, "100rel")]))
        try bench.agent.ring(try #require(bench.incoming.first?.0), now: bench.now)
        bench.collect()
        #expect(try bench.response().headers.lists("100rel", in: .require))
        bench.advance(32_001)
        #expect(bench.codes.contains(504))
        #expect(bench.ended.first?.1.cause == .notAcknowledged)
    }

    /// A call that rings with early media, sent reliably: its peer's side, and the number of that response.
    private func ringing(_ bench: Bench, offered: Body? = offer) throws -> (CallHandle, PeerCall, UInt32) {
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offered, [(.supported, "100rel")]))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.ring(handle, status: 183, body: answerBody, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        return (handle, call, try #require(bench.response().headers.rSeq))
    }

    @Test(
        "an offer in PRACK is asked of the user and answered in its 200; the 200 to INVITE waits for that, and repeats nothing")
    func offerInPrack() throws {
        let bench = Bench()
        var (handle, call, number) = try ringing(bench)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.feed(call.request(.prack, number: 2, body: offer, [(.rAck, "\(number) 1 INVITE")]))
        guard case .modificationRequested(handle, offer)? = bench.events.last else {
            Issue.record("not asked: \(bench.events)")
            return
        }
        #expect(bench.codes == [100, 183])
        let other = Body.sdp(answerBody.bytes + wire("a=sendonly\n"))
        try bench.agent.answer(handle, body: other, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 183, 200, 200])
        let answers = bench.responses.suffix(2)
        #expect(answers.map(\.headers.cSeq.method) == [.prack, .invite])
        #expect(answers.map(\.body) == [other.bytes, []])
        #expect(answers.first?.headers.sessionExpires == nil)
    }

    @Test("an offer in PRACK that the user refuses, or does not answer, gets 488; the call rings on", arguments: [true, false])
    func offerInPrackRefused(refuses: Bool) throws {
        let bench = Bench()
        var (handle, call, number) = try ringing(bench)
        bench.feed(call.request(.prack, number: 2, body: offer, [(.rAck, "\(number) 1 INVITE")]))
        if refuses {
            try bench.agent.reject(handle, status: 488, now: bench.now)
            bench.collect()
        } else {
            bench.advance(24_001)
        }
        #expect(bench.codes == [100, 183, 488] && bench.ended.isEmpty)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(try bench.response().status == 200)
        #expect(try bench.response().body == answerBody.bytes)
    }

    @Test("a caller that requires it and makes no offer hears that it rings as soon as ours is there") func owedOffer() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: nil, [(.require, "100rel")]))
        let handle = try #require(bench.incoming.first?.0)
        #expect(!bench.agent.owesEarlyOffer(handle))
        try bench.agent.ring(handle, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100] && bench.agent.owesEarlyOffer(handle))
        try bench.agent.ring(handle, body: offer, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 180] && !bench.agent.owesEarlyOffer(handle))
        let ringing = try bench.response()
        #expect(ringing.body == offer.bytes)
        let number = try #require(ringing.headers.rSeq)
        call.toTag = ringing.headers.to.tag
        bench.feed(call.request(.prack, number: 2, body: answerBody, [(.rAck, "\(number) 1 INVITE")]))
        try bench.agent.ring(handle, status: 182, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 180, 200, 182] && !bench.agent.owesEarlyOffer(handle))
    }

    @Test("our offer in a reliable response has its answer in PRACK, and the 200 to INVITE does not repeat it")
    func ourOffer() throws {
        let bench = Bench()
        var (handle, call, number) = try ringing(bench, offered: nil)
        bench.feed(call.request(.prack, number: 2, body: offer, [(.rAck, "\(number) 1 INVITE")]))
        guard case .acknowledged(handle, offer)? = bench.events.last else {
            Issue.record("not told: \(bench.events)")
            return
        }
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 183, 200, 200])
        #expect(try bench.response().body.isEmpty)
        bench.feed(call.request(.ack))
        guard case .acknowledged(handle, nil)? = bench.events.last else {
            Issue.record("the ACK was taken for an answer")
            return
        }
    }

    @Test("a body in PRACK, or an UPDATE, while the caller's offer is still open is no offer that could be answered")
    func offerBeforeAnswer() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer, [(.require, "100rel")]))
        try bench.agent.ring(try #require(bench.incoming.first?.0), now: bench.now)
        bench.collect()
        let number = try #require(bench.response().headers.rSeq)
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.prack, number: 2, body: offer, [(.rAck, "\(number) 1 INVITE")]))
        bench.feed(call.request(.update, number: 3, body: offer))
        #expect(bench.codes == [100, 180, 200, 500])
        #expect(bench.events.count == 1)
    }

    private let tunnel = Body(contentType: "application/qsig", bytes: [1, 2, 3])
    private let mayBePassedOver = (HeaderName.contentDisposition, "signal;handling=optional")

    @Test("a body in PRACK that is no SDP is no offer: 200, and the call can be answered") func prackWithoutSDP() throws {
        let bench = Bench()
        var (handle, call, number) = try ringing(bench)
        bench.feed(call.request(.prack, number: 2, body: tunnel, [(.rAck, "\(number) 1 INVITE"), mayBePassedOver]))
        #expect(bench.codes == [100, 183, 200])
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 183, 200, 200])
        #expect(try bench.response().headers.cSeq.method == .invite)
        #expect(try bench.response().body == answerBody.bytes)
    }

    @Test("where INVITE has a body that is no SDP, our offer that PRACK has answered is not repeated by the 200")
    func inviteWithoutSDP() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: tunnel, [(.supported, "100rel"), mayBePassedOver]))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.ring(handle, status: 183, body: offer, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        let number = try #require(bench.response().headers.rSeq)
        bench.feed(call.request(.prack, number: 2, body: answerBody, [(.rAck, "\(number) 1 INVITE")]))
        try bench.agent.answer(handle, body: offer, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 183, 200, 200])
        #expect(try bench.response().body.isEmpty)
    }

    @Test("as caller: an UPDATE meets our open offer until a reliable response has answered it") func updateBeforeAnswer()
        throws
    {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 180, early)
        var peer = PeerCall(callID: invite.headers.callID, fromTag: "peer", toTag: invite.headers.from.tag)
        bench.feed(peer.request(.update, number: 1, body: offer))
        #expect(bench.codes == [491])
        bench.answer(invite, 183, [(.require, "100rel"), (.rSeq, "8")], body: answerBody)
        bench.feed(peer.request(.update, number: 2, body: offer))
        #expect(bench.codes == [491])
        guard case .modificationRequested(let handle, _)? = bench.events.last else {
            Issue.record("not asked: \(bench.events)")
            return
        }
        #expect(bench.agent.branchThatOffers(to: handle) == "peer")
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        #expect(bench.agent.branchThatOffers(to: handle) == nil)
    }

    @Test("as caller: an UPDATE that comes before we have answered the peer's offer is put off") func updateBeforeOurAnswer()
        throws
    {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: nil, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 183, [(.require, "100rel"), (.rSeq, "8")], body: offer)
        var peer = PeerCall(callID: invite.headers.callID, fromTag: "peer", toTag: invite.headers.from.tag)
        bench.feed(peer.request(.update, number: 1, body: offer))
        #expect(bench.codes == [500])
        #expect(try bench.response().headers.retryAfter != nil)
    }

    @Test("as callee: an UPDATE meets our open offer until PRACK has answered it") func updateMeetsOurOffer() throws {
        let bench = Bench()
        var (_, call, number) = try ringing(bench, offered: nil)
        bench.feed(call.request(.update, number: 2, body: offer))
        #expect(bench.codes == [100, 183, 491])
        bench.feed(call.request(.prack, number: 3, body: answerBody, [(.rAck, "\(number) 1 INVITE")]))
        bench.feed(call.request(.update, number: 4, body: offer))
        #expect(bench.codes == [100, 183, 491, 200])
        guard case .modificationRequested? = bench.events.last else {
            Issue.record("not asked: \(bench.events)")
            return
        }
    }

    @Test("a change of ours: each reliable response gets one PRACK, and what one of them answered holds") func change() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 183, early, body: answerBody)
        bench.answer(invite, 183, early, body: answerBody)
        #expect(bench.requests(.prack).count == 1)
        #expect(try bench.request(.prack).headers.rAck == RAck(responseNumber: 7, cSeq: invite.headers.cSeq))
        bench.answer(invite, 200)
        #expect(bench.modified.map(\.body) == [answerBody])
    }

    @Test("a change that is wished before the PRACK to an answered call is possible after its ACK") func wishBeforePrack()
        throws
    {
        let bench = Bench()
        var (handle, call, number) = try ringing(bench)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        #expect(throws: UserAgentError.offerPending) { try bench.agent.modify(handle, body: offer, now: bench.now) }
        bench.feed(call.request(.prack, number: 2, body: nil, [(.rAck, "\(number) 1 INVITE")]))
        #expect(bench.codes == [100, 183, 200, 200])
        let isPossible = { bench.events.contains { if case .modificationPossible(handle) = $0 { true } else { false } } }
        #expect(!isPossible())
        bench.feed(call.request(.ack))
        #expect(isPossible())
        try bench.agent.modify(handle, body: offer, now: bench.now)
    }

    @Test("what waits for a PRACK follows it, up to the next one that wants a PRACK itself") func queued() throws {
        let bench = Bench()
        var (handle, call, number) = try ringing(bench)
        try bench.agent.ring(handle, now: bench.now)
        try bench.agent.ring(handle, status: 183, body: answerBody, now: bench.now)
        try bench.agent.ring(handle, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 183])
        bench.feed(call.request(.prack, number: 2, body: nil, [(.rAck, "\(number) 1 INVITE")]))
        #expect(bench.codes == [100, 183, 200, 180, 183])
        #expect(try bench.response().headers.rSeq == number + 1)
        bench.feed(call.request(.prack, number: 3, body: nil, [(.rAck, "\(number + 1) 1 INVITE")]))
        #expect(bench.codes == [100, 183, 200, 180, 183, 200, 180])
    }

    @Test("a call that rings for minutes after a reliable response gets another provisional one each minute")
    func minutes() throws {
        let bench = Bench()
        var (_, call, number) = try ringing(bench)
        bench.feed(call.request(.prack, number: 2, body: nil, [(.rAck, "\(number) 1 INVITE")]))
        bench.advance(120_001)
        #expect(bench.codes == [100, 183, 200, 183, 183])
        #expect(bench.responses.suffix(2).allSatisfy { $0.headers.rSeq == nil && $0.body.isEmpty })
    }

    @Test("a caller that cannot do it gets plain ones") func plain() throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.ring(
            try #require(bench.incoming.first?.0), status: 183, body: answerBody, now: bench.now)
        bench.collect()
        #expect(try bench.response().headers.rSeq == nil)
    }
}
