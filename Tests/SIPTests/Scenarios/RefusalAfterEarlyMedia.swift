import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 13.2.2.3.
    @Test("a refusal after early media ends the call once, and leaves no dialog") func refusalAfterEarlyMedia() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 183, body: answerBody)
        bench.answer(invite, 603)
        #expect(bench.ended.first?.1.status == 603)
        bench.advance(33_000)
        #expect(bench.agent.stateCount == 0)
    }
}
