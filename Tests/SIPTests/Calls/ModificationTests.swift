import SIP
import Testing

/// RFC 3261 section 14, RFC 3311.
@Suite("A session that changes") struct ModificationTests {
    private func requested(_ bench: Bench) -> [Body?] {
        bench.events.compactMap { if case .modificationRequested(_, let body) = $0 { .some(body) } else { nil } }
    }

    @Test("our re-INVITE: next CSeq, ACK, repeated 2xx acknowledged again") func ours() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        #expect(invite.headers.to.tag == "peer")
        #expect(invite.headers.cSeq.number == 2)
        bench.answer(invite, 200, [(.contact, "<sip:moved@192.0.2.9>")], body: answerBody)
        bench.answer(invite, 200, [(.contact, "<sip:moved@192.0.2.9>")], body: answerBody)
        #expect(bench.modified.count == 1)
        #expect(bench.requests(.ack).count == 2)
        #expect(try bench.request(.ack).uri.text == "sip:moved@192.0.2.9")
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(try bench.request(.bye).uri.text == "sip:moved@192.0.2.9")
    }

    @Test("a second change during the first is refused to our user") func oneAtATime() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        #expect(throws: UserAgentError.offerPending) { try bench.agent.modify(handle, body: offer, now: bench.now) }
    }

    private func possible(_ bench: Bench) -> [CallHandle] {
        bench.events.compactMap { if case .modificationPossible(let handle) = $0 { handle } else { nil } }
    }

    /// A call whose refresh by UPDATE is under way, and a change of ours that has to wait for it.
    private func waiting(_ bench: Bench) throws -> CallHandle {
        let handle = try bench.establishedOutgoing(
            fields: [(.allow, "INVITE, BYE, UPDATE"), (.sessionExpires, "600;refresher=uac"), (.require, "timer")])
        bench.advance(300_001)
        #expect(throws: UserAgentError.offerPending) { try bench.agent.modify(handle, body: offer, now: bench.now) }
        #expect(possible(bench).isEmpty)
        return handle
    }

    @Test("a change that waits for a refresh is possible once that is over, whatever became of it", arguments: [200, 500])
    func afterRefresh(status: Int) throws {
        let bench = Bench()
        let handle = try waiting(bench)
        bench.answer(try bench.request(.update), status, [(.sessionExpires, "600;refresher=uac")])
        #expect(possible(bench) == [handle])
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        #expect(bench.modified.map(\.body) == [answerBody] && possible(bench).count == 1)
    }

    @Test("a change that waits for a refresh waits for that one's second try too") func afterRefreshAgain() throws {
        let bench = Bench()
        let handle = try waiting(bench)
        bench.answer(try bench.request(.update), 491)
        #expect(possible(bench).isEmpty)
        #expect(throws: UserAgentError.offerPending) { try bench.agent.modify(handle, body: offer, now: bench.now) }
        bench.advance(4001)
        bench.answer(try bench.request(.update), 200, [(.sessionExpires, "600;refresher=uac")])
        #expect(possible(bench) == [handle])
    }

    @Test("a change that waits for the peer's is possible after that one's ACK") func afterTheirs() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.invite, number: 2, body: offer))
        #expect(throws: UserAgentError.offerPending) { try bench.agent.modify(handle, body: offer, now: bench.now) }
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(possible(bench).isEmpty)
        bench.feed(call.request(.ack, number: 2))
        #expect(possible(bench) == [handle])
    }

    @Test("a change that the peer's met is given up for the peer's next one, and possible after it") func theirsFirst() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 491)
        bench.feed(call.request(.invite, number: 2, body: offer))
        #expect(requested(bench).count == 1)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        bench.feed(call.request(.ack, number: 2))
        #expect(bench.codes == [100, 200] && possible(bench) == [handle])
        bench.advance(5000)
        #expect(bench.requests(.invite).count == 1)
    }

    @Test("a refresh says again what was agreed on, not what was refused") func refusedIsForgotten() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing(
            fields: [(.allow, "INVITE, BYE"), (.sessionExpires, "600;refresher=uac"), (.require, "timer")])
        try bench.agent.modify(handle, body: answerBody, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 488)
        bench.advance(300_001)
        #expect(try bench.request(.invite).body == offer.bytes)
    }

    @Test("488 leaves the session as it was") func refused() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 488)
        guard case .modificationFailed(handle, status: 488, reason: _)? = bench.events.last else {
            Issue.record("not told")
            return
        }
        #expect(bench.ended.isEmpty)
        try bench.agent.modify(handle, body: offer, now: bench.now)
    }

    @Test("491: the maker of the Call-ID waits 2.1 to 4 s, the other side up to 2 s", arguments: [true, false], 1...5)
    func glare(isOutgoing: Bool, seed: Int) throws {
        let bench = Bench(seed: UInt64(seed))
        let handle = try isOutgoing ? bench.establishedOutgoing() : bench.establishedIncoming().0
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 491)
        let start = bench.now
        bench.advance(4001)
        let invites = bench.sent.filter {
            if case .request(let request) = $0.message { request.method == .invite } else { false }
        }
        let wait = try #require(invites.dropFirst().first).time.milliseconds(since: start)
        #expect(isOutgoing ? wait >= 2100 && wait <= 4000 : wait >= 0 && wait <= 2000, "seed \(seed): \(wait) ms")
        bench.answer(try bench.request(.invite), 200, body: answerBody)
        #expect(bench.modified.count == 1)
    }

    @Test("481 and a time-out end the call") func gone() throws {
        let bench = Bench()
        var handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 481)
        #expect(bench.ended.first?.1.status == 481)
        #expect(bench.requests(.bye).isEmpty)
        handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.advance(32_001)
        #expect(bench.ended.first?.1.cause == .timeout)
        #expect(bench.requests(.bye).count >= 1)
    }

    @Test(
        "408 ends the call with BYE; any other refusal leaves it as it was, a proxy's 404 too",
        arguments: [
            (408, true), (404, false), (410, false), (416, false), (482, false), (483, false), (484, false), (485, false),
            (604, false), (400, false), (422, false), (480, false), (503, false),
        ])
    func lost(status: Int, isLost: Bool) throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), status, [(.minSE, "300")])
        #expect(bench.ended.map(\.1.status) == (isLost ? [status] : []))
        #expect(bench.requests(.bye).count == (isLost ? 1 : 0))
        let failures = bench.events.filter { if case .modificationFailed = $0 { true } else { false } }
        #expect(failures.count == (isLost ? 0 : 1))
        // The user may wish for something else at once.
        if !isLost { try bench.agent.modify(handle, body: offer, now: bench.now) }
    }

    @Test(
        "INFO that is refused ends no call; one whose call is not known there does",
        arguments: [(404, 0), (405, 0), (408, 0), (415, 0), (500, 0), (501, 0), (481, 1)])
    func info(status: Int, ends: Int) throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.sendInfo(handle, body: Body(contentType: "a/b", bytes: [1]), now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.info), status)
        #expect(bench.ended.count == ends && bench.requests(.bye).isEmpty)
    }

    @Test("one INFO waits for the answer to the one before, whatever that is") func infosInOrder() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        for digit in ["1", "2", "3"] {
            let body = Body(contentType: "application/dtmf-relay", bytes: wire("Signal=\(digit)\n"))
            try bench.agent.sendInfo(handle, body: body, now: bench.now)
        }
        bench.collect()
        for (count, status) in [(1, 100), (1, 200), (2, 415), (3, 200)] {
            #expect(bench.requests(.info).count == count)
            bench.answer(try bench.request(.info), status)
        }
        let told = bench.requests(.info)
        #expect(told.map(\.body) == ["1", "2", "3"].map { wire("Signal=\($0)\n") })
        #expect(told.map(\.headers.cSeq.number) == told.indices.map { told[0].headers.cSeq.number + UInt32($0) })
        #expect(bench.ended.isEmpty)
    }

    @Test("INFO that nobody answers ends no call") func infoUnanswered() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing()
        try bench.agent.sendInfo(handle, body: Body(contentType: "a/b", bytes: [1]), now: bench.now)
        bench.advance(40_000)
        #expect(bench.ended.isEmpty && bench.requests(.bye).isEmpty)
    }

    @Test("the peer's re-INVITE is asked of the user and answered until its ACK") func theirs() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.invite, number: 2, body: offer))
        #expect(requested(bench).count == 1)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 200])
        bench.advance(600)
        #expect(bench.codes == [100, 200, 200])
        bench.feed(call.request(.ack, number: 2))
        bench.advance(5000)
        #expect(bench.codes == [100, 200, 200])
    }

    @Test("the peer's re-INVITE meets ours: 491; meets its own: 500 with Retry-After") func crossing() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        bench.feed(call.request(.invite, number: 2, body: offer))
        #expect(bench.codes == [491])
        bench.answer(try bench.request(.invite), 488)
        bench.feed(call.request(.invite, number: 3, body: offer))
        bench.feed(call.request(.invite, number: 4, body: offer))
        #expect(bench.codes == [491, 100, 500])
        #expect(try bench.response().headers.retryAfter.map { $0 <= 10 } == true)
    }

    @Test("a re-INVITE that nobody answers gets 488, and the call goes on") func unanswered() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.invite, number: 2, body: offer))
        bench.advance(32_001)
        #expect(bench.codes.filter { $0 == 488 }.isEmpty == false)
        #expect(bench.ended.isEmpty)
        try bench.agent.hangUp(handle, now: bench.now)
    }

    @Test("a re-INVITE that is cancelled gets 487, and the user is told") func cancelled() throws {
        let bench = Bench()
        let (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(.invite, number: 2, branch: "z9hG4bKre", body: offer))
        bench.feed(call.request(.cancel, number: 2, branch: "z9hG4bKre"))
        #expect(bench.codes == [100, 200, 487])
        #expect(bench.ended.isEmpty)
        guard case .modificationFailed(_, status: 487, reason: _)? = bench.events.last else {
            Issue.record("not told")
            return
        }
    }

    @Test("UPDATE without a body refreshes; with an offer it is asked of the user") func update() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.update, number: 2))
        #expect(bench.codes == [200])
        bench.feed(call.request(.update, number: 3, body: offer))
        #expect(requested(bench).count == 1)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.codes == [200, 200])
        #expect(try bench.response().body == answerBody.bytes)
    }

    @Test("UPDATE with a body that is no SDP only refreshes, and our changes stay possible") func updateWithoutSDP() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        let tunnel = Body(contentType: "application/qsig", bytes: [1, 2, 3])
        bench.feed(call.request(.update, number: 2, body: tunnel, [(.contentDisposition, "signal;handling=optional")]))
        #expect(bench.codes == [200])
        #expect(try bench.response().body.isEmpty)
        #expect(requested(bench).isEmpty)
        try bench.agent.modify(handle, body: offer, now: bench.now)
    }

    @Test("our UPDATE needs a peer that serves it") func ourUpdate() throws {
        let bench = Bench()
        let handle = try bench.establishedOutgoing(fields: [(.allow, "INVITE, BYE")])
        #expect(throws: UserAgentError.self) {
            try bench.agent.modify(handle, body: offer, usesUpdate: true, now: bench.now)
        }
        let other = try bench.establishedOutgoing()
        try bench.agent.modify(other, body: offer, usesUpdate: true, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.update), 200, body: answerBody)
        #expect(bench.modified.last?.body == answerBody)
    }
}
