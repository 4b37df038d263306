import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 17.1.2.2: in the state proceeding timer E runs at T2.
    @Test("a request that got a provisional answer is repeated every T2, and given up after 64 T1") func provisionalToRequest()
        throws
    {
        let bench = Bench()
        _ = try bench.agent.options(uri("sip:peer@192.0.2.9"), now: bench.now)
        bench.collect()
        let start = bench.now
        bench.answer(try bench.request(.options), 100, tag: nil)
        bench.advance(31_000)
        let times = bench.sent.dropFirst().map { $0.time.milliseconds(since: start) }
        #expect(times.first == 500)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 4000 }, "\(times)")
        bench.advance(1001)
        guard case .answer(_, status: 408, reason: _, body: _)? = bench.events.last else {
            Issue.record("not told: \(bench.events)")
            return
        }
        #expect(bench.agent.stateCount == 0)
    }
}
