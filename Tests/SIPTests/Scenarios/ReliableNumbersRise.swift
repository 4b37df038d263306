import SIP
import Testing

extension Scenarios {
    /// RFC 3262 section 3: RSeq rises by one, and the next waits for the PRACK of the last.
    @Test("a second reliable provisional waits for the first one's PRACK, and has the next number") func reliableNumbersRise()
        throws
    {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer, [(.require, "100rel")]))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.ring(handle, status: 183, body: answerBody, now: bench.now)
        try bench.agent.ring(handle, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 183])
        let first = try #require(bench.response().headers.rSeq)
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.prack, number: 2, body: nil, [(.rAck, "\(first) 1 INVITE")]))
        #expect(bench.codes == [100, 183, 200, 180])
        #expect(try bench.response().headers.rSeq == first + 1)
    }
}
