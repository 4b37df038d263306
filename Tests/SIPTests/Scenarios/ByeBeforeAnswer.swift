import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.1.3: the caller gives up by BYE in the early dialog.
    @Test("BYE before our answer: 200 to it, 487 to the INVITE, one end") func byeBeforeAnswer() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.ring(try #require(bench.incoming.first?.0), now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.clear()
        bench.feed(call.request(.bye, number: 2))
        #expect(Set(bench.codes) == [200, 487])
        #expect(bench.ended.map(\.1.cause) == [.remote])
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }
}
