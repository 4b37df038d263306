import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 17.1.2.2: timer K absorbs repeated final responses.
    @Test("a final answer that comes twice is told once, for T4; after that it is nobody's") func lateAnswerToRequest() throws {
        let bench = Bench()
        _ = try bench.agent.options(uri("sip:peer@192.0.2.9"), now: bench.now)
        bench.collect()
        let options = try bench.request(.options)
        bench.answer(options, 200)
        bench.answer(options, 200)
        #expect(bench.events.count == 1)
        bench.advance(5001)
        #expect(bench.agent.stateCount == 0)
        bench.answer(options, 200)
        #expect(bench.drops == [.strayResponse])
    }
}
