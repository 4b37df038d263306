import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 13.3.1.4: the ACK has the INVITE's number.
    @Test("an ACK of another number acknowledges nothing") func ackOfAnotherNumber() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, body: offer))
        try bench.agent.answer(try #require(bench.incoming.first?.0), body: answerBody, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.feed(call.request(.ack, number: 7))
        bench.clear()
        bench.advance(600)
        #expect(bench.codes == [200], "it goes on to be repeated")
        bench.feed(call.request(.ack))
        bench.clear()
        bench.advance(10_000)
        #expect(bench.codes.isEmpty)
    }
}
