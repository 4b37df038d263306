import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 17.2.1: timer I absorbs repeated ACKs.
    @Test("an ACK to a refusal that comes again is absorbed for T4") func serverAcknowledgedRefusal() throws {
        let bench = Bench()
        let call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.reject(try #require(bench.incoming.first?.0), status: 486, now: bench.now)
        bench.collect()
        for _ in 0..<3 { bench.feed(call.request(.ack, branch: "z9hG4bKi")) }
        #expect(bench.codes == [100, 486])
        #expect(bench.drops.isEmpty)
        bench.advance(5001)
        #expect(bench.agent.stateCount == 0)
    }
}
