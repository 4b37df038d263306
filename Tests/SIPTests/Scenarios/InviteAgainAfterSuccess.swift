import SIP
import Testing

extension Scenarios {
    /// RFC 6026 section 7.1: in the state accepted a repeated INVITE is absorbed.
    @Test("an INVITE that comes again after our 200 is no second call") func inviteAgainAfterSuccess() throws {
        let bench = Bench()
        let call = PeerCall()
        let invite = call.request(.invite, branch: "z9hG4bKi", body: offer)
        bench.feed(invite)
        try bench.agent.answer(try #require(bench.incoming.first?.0), body: answerBody, now: bench.now)
        bench.collect()
        bench.feed(invite)
        bench.advance(10_000)
        bench.feed(invite)
        #expect(bench.incoming.count == 1)
        #expect(bench.codes.allSatisfy { $0 == 100 || $0 == 200 })
    }
}
