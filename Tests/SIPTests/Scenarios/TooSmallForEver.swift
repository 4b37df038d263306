import SIP
import Testing

extension Scenarios {
    /// RFC 4028 section 6: 422 is followed, but not for ever.
    @Test("a peer that answers 422 again and again is given up") func tooSmallForEver() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        var least = 2000
        for _ in 0..<5 where bench.ended.isEmpty {
            bench.answer(try bench.request(.invite), 422, [(.minSE, "\(least)")])
            least += 1000
        }
        #expect(bench.ended.first?.1.status == 422)
        #expect(bench.requests(.invite).count == 3)
    }
}
