import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 9.1: the answer to CANCEL says nothing about the INVITE.
    @Test("481 to our CANCEL changes nothing: the INVITE's own answer decides") func cancelAnsweredTwice() throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 180)
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.cancel), 481)
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.requests(.bye).count == 1, "the call that came about all the same is ended")
        #expect(bench.ended.count == 1)
    }
}
