import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.1.5: the ACK was lost, and a change follows.
    @Test("a re-INVITE that comes before the ACK is put off; the call goes on") func reinviteBeforeAck() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.invite, number: 2, body: offer))
        #expect(bench.codes.last == 491 || bench.codes.last == 500, "\(bench.codes)")
        #expect(bench.ended.isEmpty)
        bench.feed(call.request(.ack, number: 1))
        bench.clear()
        bench.feed(call.request(.invite, number: 3, body: offer))
        let isAsked = bench.events.contains { if case .modificationRequested = $0 { true } else { false } }
        #expect(isAsked, "now it is asked of the user")
    }
}
