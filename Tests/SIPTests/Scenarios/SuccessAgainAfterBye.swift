import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.3.1: the peer's 200 comes again when our BYE is out already.
    @Test("a 2xx that comes again after our BYE is acknowledged again") func successAgainAfterBye() throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 200, body: answerBody)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.clear()
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.requests(.ack).count == 1)
        #expect(bench.requests(.bye).isEmpty)
        #expect(bench.ended.isEmpty, "it was told before")
    }
}
