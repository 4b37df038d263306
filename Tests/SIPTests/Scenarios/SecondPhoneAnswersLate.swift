import SIP
import Testing

extension Scenarios {
    /// RFC 6026 section 7.2: timer M ends the wait for other forks.
    @Test("a 2xx of another phone counts for 64 T1 after the first one, and is nobody's after that")
    func secondPhoneAnswersLate() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 200, body: answerBody)
        bench.answer(invite, 200, tag: "second", body: answerBody)
        #expect(bench.requests(.bye).count == 1)
        bench.answer(try bench.request(.bye), 200)
        bench.advance(32_001)
        bench.clear()
        bench.answer(invite, 200, tag: "third", body: answerBody)
        #expect(bench.requests.isEmpty)
        #expect(bench.drops == [.strayResponse])
    }
}
