import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 9.1: nothing may be cancelled before a provisional response.
    @Test("hanging up before any answer waits; a refusal that comes first makes CANCEL needless") func cancelBeforeAnyAnswer()
        throws
    {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(bench.requests(.cancel).isEmpty)
        bench.answer(try bench.request(.invite), 486)
        #expect(bench.requests(.cancel).isEmpty)
        #expect(bench.requests(.ack).count == 1)
        #expect(bench.ended.count == 1)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }
}
