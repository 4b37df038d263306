import SIP
import Testing

/// RFC 3261 sections 12.2.2 and 15.
@Suite("Requests inside a dialog") struct DialogTests {
    @Test("BYE ends the call; again it gets the same answer") func bye() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        let bye = call.request(.bye, number: 2, branch: "z9hG4bKbye", body: nil, [(.reason, "Q.850;cause=16")])
        bench.feed(bye)
        bench.feed(bye)
        #expect(bench.codes == [200, 200])
        #expect(bench.ended.count == 1)
        #expect(bench.ended.first?.1.cause == .remote)
        #expect(bench.ended.first?.1.reasons.first?.cause == 16)
        bench.feed(call.request(.bye, number: 3))
        #expect(bench.codes.last == 481)
    }

    @Test("BYE of a stranger: 481, whatever one of the three identifiers is wrong", arguments: 0..<3)
    func stranger(wrong: Int) throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        switch wrong {
        case 0: call.callID = "other"
        case 1: call.fromTag = "other"
        default: call.toTag = "other"
        }
        bench.feed(call.request(.bye, number: 2))
        #expect(bench.codes == [481])
        #expect(bench.ended.isEmpty)
    }

    @Test("a CSeq that is not greater than the last: 500") func order() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(.info, number: 5))
        bench.feed(call.request(.info, number: 5))
        bench.feed(call.request(.bye, number: 4))
        #expect(bench.codes == [200, 500, 500])
        #expect(bench.ended.isEmpty)
    }

    @Test("BYE while the user is asked about a change: 487 to that, then the end") func byeDuringChange() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(.invite, number: 2, body: offer))
        bench.feed(call.request(.bye, number: 3))
        #expect(bench.codes.sorted() == [100, 200, 487])
        #expect(bench.ended.count == 1)
    }

    @Test("unknown methods 501, known but not served 405, unknown Require 420") func refused() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(SIP.Method("FOO"), number: 2))
        bench.feed(call.request(.subscribe, number: 3))
        bench.feed(call.request(.info, number: 4, body: nil, [(.require, "foo, timer")]))
        #expect(bench.codes == [501, 405, 420])
        #expect(try bench.response().headers.tokens(.unsupported) == ["foo"])
    }

    @Test("INFO is answered and handed on") func info() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        let digit = Body(contentType: "application/dtmf-relay", bytes: Array("Signal=5".utf8))
        bench.feed(call.request(.info, number: 2, body: digit))
        #expect(bench.codes == [200])
        guard case .info(handle, digit)? = bench.events.last else {
            Issue.record("not handed on")
            return
        }
        try bench.agent.sendInfo(handle, body: digit, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.info), 481)
        #expect(bench.ended.count == 1)
    }

    @Test(
        "a text goes to the other side of a call, which says how it went; a refusal ends no call", arguments: [200, 405, 481])
    func text(status: Int) throws {
        let bench = Bench()
        let (handle, call) = try bench.establishedIncoming()
        try bench.agent.sendText(handle, body: Body(contentType: "text/plain", bytes: Array("hi".utf8)), now: bench.now)
        bench.collect()
        let request = try bench.request(.message)
        #expect(request.headers.callID == call.callID && request.headers.to.tag != nil && request.body == Array("hi".utf8))
        bench.answer(request, status)
        guard case .textAnswered(handle, text: Array("hi".utf8), status, _)? = bench.events.last else {
            Issue.record("not told: \(bench.events)")
            return
        }
        #expect(bench.ended.isEmpty)
    }

    @Test("a text that comes within a call is handed on with it; what is no text is refused") func texts() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        let text = Body(contentType: "text/plain", bytes: Array("hi".utf8))
        bench.feed(call.request(.message, number: 2, body: text))
        guard case .message(in: handle?, _, _, text, _)? = bench.events.last else {
            Issue.record("not handed on")
            return
        }
        let told = bench.events.count
        let typing = Body(contentType: "application/im-iscomposing+xml", bytes: Array("<isComposing/>".utf8))
        bench.feed(call.request(.message, number: 3, body: typing))
        bench.feed(call.request(.message, number: 4))
        #expect(bench.codes == [200, 415, 415] && bench.events.count == told)
    }

    @Test("no event follows the end of a call") func silenceAfterTheEnd() throws {
        let bench = Bench()
        let (handle, _) = try bench.establishedIncoming()
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.bye), 481)
        bench.advance(70_000)
        #expect(bench.events.count == 1)
        #expect(throws: UserAgentError.noSuchCall) { try bench.agent.hangUp(handle, now: bench.now) }
        #expect(bench.agent.stateCount == 0)
    }
}
