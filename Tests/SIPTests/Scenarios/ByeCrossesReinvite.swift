import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.2.2.
    @Test("the peer hangs up while our change is under way: its answer changes nothing more, and is acknowledged")
    func byeCrossesReinvite() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.modify(handle, body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.feed(call.request(.bye, number: 2))
        #expect(bench.codes.last == 200)
        #expect(bench.ended.count == 1)
        bench.clear()
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.requests(.ack).count == 1)
        #expect(bench.events.isEmpty)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }
}
