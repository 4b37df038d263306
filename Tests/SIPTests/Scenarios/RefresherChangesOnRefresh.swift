import SIP
import Testing

extension Scenarios {
    /// RFC 4028 section 7.2: what the answer to a refresh says counts from then on.
    @Test("a refresh whose answer has another interval is followed by the next one in its half")
    func refresherChangesOnRefresh() throws {
        let bench = Bench()
        let handle = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.invite), 200,
            [(.allow, "INVITE, ACK, BYE, UPDATE"), (.sessionExpires, "600;refresher=uac"), (.require, "timer")],
            body: answerBody)
        bench.clear()
        bench.advance(300_001)
        #expect(bench.requests(.update).count == 1)
        bench.answer(try bench.request(.update), 200, [(.sessionExpires, "200;refresher=uac"), (.require, "timer")])
        bench.advance(100_001)
        #expect(bench.requests(.update).count == 2)
        #expect(bench.ended.isEmpty)
        _ = handle
    }
}
