import SIP
import Testing

extension Scenarios {
    /// RFC 3262 section 4.
    @Test("a PRACK of ours that is refused, or never answered, ends no call") func prackRefused() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 183, [(.require, "100rel"), (.rSeq, "7")], body: answerBody)
        bench.answer(try bench.request(.prack), 481)
        bench.answer(invite, 180, [(.require, "100rel"), (.rSeq, "8")])
        bench.advance(33_000)
        #expect(bench.ended.isEmpty)
        bench.answer(invite, 200, body: answerBody)
        #expect(bench.answered.count == 1)
    }
}
