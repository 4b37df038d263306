import SIP
import Testing

@Suite("CANCEL and its races") struct CancelTests {
    private func dial(_ bench: Bench) throws -> CallHandle {
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        return handle
    }

    @Test("goes out on the INVITE's branch, and 487 ends the transaction") func plain() throws {
        let bench = Bench()
        let handle = try dial(bench)
        let invite = try bench.request(.invite)
        bench.answer(invite, 180)
        try bench.agent.hangUp(handle, reason: Reason(namespace: "SIP", cause: 200, phrase: "elsewhere"), now: bench.now)
        bench.collect()
        let cancel = try bench.request(.cancel)
        #expect(cancel.headers.topVia == invite.headers.topVia)
        #expect(cancel.headers.cSeq == CSeq(number: invite.headers.cSeq.number, method: .cancel))
        #expect(cancel.headers.to.tag == nil)
        #expect(cancel.headers.reasons.first?.cause == 200)
        bench.answer(cancel, 200)
        bench.answer(invite, 487)
        #expect(bench.requests(.ack).count == 1)
        #expect(bench.ended.count == 1)
        #expect(bench.ended.first?.1.cause == .local)
        bench.advance(33_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("waits for a provisional response") func early() throws {
        let bench = Bench()
        let handle = try dial(bench)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(bench.requests(.cancel).isEmpty)
        bench.answer(try bench.request(.invite), 100)
        bench.answer(try bench.request(.invite), 180)
        #expect(bench.requests(.cancel).count == 1)
    }

    @Test("a 2xx that crosses it is acknowledged and ended") func lateSuccess() throws {
        let bench = Bench()
        let handle = try dial(bench)
        let invite = try bench.request(.invite)
        bench.answer(invite, 180)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.answer(invite, 200, body: answerBody)
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.requests(.ack).count == 2)
        #expect(bench.requests(.bye).count == 1)
        #expect(bench.answered.isEmpty)
        #expect(bench.ended.count == 1)
        bench.answer(try bench.request(.bye), 200)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("no final response at all: the INVITE is given up after 64 T1") func silence() throws {
        let bench = Bench()
        let handle = try dial(bench)
        bench.answer(try bench.request(.invite), 180)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.advance(65_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("of the peer: 200 to CANCEL, 487 to INVITE, one end") func ofThePeer() throws {
        let bench = Bench()
        let call = PeerCall()
        let invite = call.request(.invite, branch: "z9hG4bKi", body: offer)
        bench.feed(invite)
        let cancel = call.request(.cancel, branch: "z9hG4bKi", body: nil, [(.reason, "SIP;cause=200;text=\"elsewhere\"")])
        bench.feed(cancel)
        #expect(bench.codes == [100, 200, 487])
        #expect(bench.responses.last?.headers.cSeq.method == .invite)
        #expect(bench.ended.first?.1.cause == .remote)
        #expect(bench.ended.first?.1.reasons.first?.cause == 200)
        bench.feed(call.request(.ack, branch: "z9hG4bKi"))
        bench.advance(40_000)
        #expect(bench.codes == [100, 200, 487])
        #expect(bench.agent.stateCount == 0)
    }

    @Test("of the peer: the 200 has the To tag of the INVITE's responses, also when it comes again") func sameTag() throws {
        let bench = Bench()
        let call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        for _ in 0..<2 { bench.feed(call.request(.cancel, branch: "z9hG4bKi")) }
        let responses = bench.responses.filter { $0.status > 100 }
        #expect(responses.map(\.status) == [200, 487, 200])
        #expect(Set(responses.map(\.headers.to.tag)).count == 1)
    }

    @Test("of the peer after our 2xx changes nothing; for no INVITE: 481") func tooLate() throws {
        let bench = Bench()
        let call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.answer(try #require(bench.incoming.first?.0), body: answerBody, now: bench.now)
        bench.collect()
        bench.feed(call.request(.cancel, branch: "z9hG4bKi"))
        #expect(bench.codes == [100, 200, 200])
        #expect(bench.ended.isEmpty)
        bench.feed(call.request(.cancel, branch: "z9hG4bKother"))
        #expect(bench.codes.last == 481)
    }
}
