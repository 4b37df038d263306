import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.1.2, as callee: CANCEL and our 200 cross.
    @Test("CANCEL that crosses our 200: 200 to it, and the call stands") func cancelAfterAnswer() throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        let handle = try #require(bench.incoming.first?.0)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        call.toTag = try bench.response().headers.to.tag
        bench.clear()
        var bare = call
        bare.toTag = nil
        bench.feed(bare.request(.cancel, branch: "z9hG4bKi"))
        #expect(bench.codes == [200])
        bench.feed(call.request(.ack))
        #expect(bench.ended.isEmpty)
        bench.feed(call.request(.bye, number: 2))
        #expect(bench.ended.map(\.1.cause) == [.remote])
    }
}
