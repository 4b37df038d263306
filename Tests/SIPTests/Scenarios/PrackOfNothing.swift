import SIP
import Testing

extension Scenarios {
    /// RFC 3262 section 3.
    @Test("a PRACK that names no response of ours: 481") func prackOfNothing() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer, [(.supported, "100rel")]))
        try bench.agent.ring(try #require(bench.incoming.first?.0), status: 183, body: answerBody, now: bench.now)
        bench.collect()
        let number = try #require(bench.response().headers.rSeq)
        call.toTag = try bench.response().headers.to.tag
        for (rAck, code) in [("\(number) 2 INVITE", 481), ("\(number) 1 UPDATE", 481), ("\(number) 1 INVITE", 200)] {
            call.number += 1
            bench.feed(call.request(.prack, body: nil, [(.rAck, rAck)]))
            #expect(bench.codes.last == code, "\(rAck)")
        }
    }
}
