import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.2.1.
    @Test("both hang up at once: each BYE is answered, and the end is told once") func byeCrossesBye() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.feed(call.request(.bye, number: 2))
        #expect(bench.codes.count == 1 && [200, 481].contains(bench.codes.last ?? 0), "\(bench.codes)")
        bench.answer(try bench.request(.bye), 481)
        #expect(bench.ended.count == 1)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }
}
