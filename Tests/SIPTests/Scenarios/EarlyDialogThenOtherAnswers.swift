import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 13.2.2.4: a 2xx may come from a phone that never rang.
    @Test("one phone rings, another answers: the call is the other's, and what the first one says is over")
    func earlyDialogThenOtherAnswers() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 180, tag: "first")
        bench.answer(invite, 200, tag: "second", body: answerBody)
        #expect(bench.answered.first?.1.branch == "second")
        #expect(try bench.request(.ack).headers.to.tag == "second")
        bench.clear()
        bench.answer(invite, 180, tag: "first")
        #expect(bench.progress.isEmpty)
    }
}
