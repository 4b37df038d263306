import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 17.2.1: timer G doubles up to T2, timer H ends it.
    @Test("a refusal that nobody acknowledges is repeated at T1 doubling to T2, and given up after 64 T1")
    func serverRefusalNeverAcknowledged() throws {
        let bench = Bench()
        bench.feed(PeerCall().request(.invite, branch: "z9hG4bKi", body: offer))
        try bench.agent.reject(try #require(bench.incoming.first?.0), status: 486, now: bench.now)
        bench.collect()
        let start = bench.now
        bench.clear()
        bench.advance(40_000)
        let times = bench.sent.map { $0.time.milliseconds(since: start) }
        #expect(Array(times.prefix(5)) == [500, 1500, 3500, 7500, 11_500])
        #expect(try #require(times.last) <= 32_000)
        #expect(bench.agent.stateCount == 0)
    }
}
