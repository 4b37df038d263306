import SIP
import Testing

extension Scenarios {
    /// A machine that slept: timers are late all at once.
    @Test("after hours of sleep nothing is sent in a burst, and what is over is told once") func nothingAfterSleep() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9"), body: offer, now: bench.now)
        bench.collect()
        bench.clear()
        bench.now = bench.now.advanced(byMilliseconds: 4 * 3_600_000)
        bench.agent.advance(to: bench.now)
        bench.collect()
        #expect(bench.sent.isEmpty)
        #expect(bench.ended.map(\.1.cause) == [.timeout])
        #expect(bench.agent.stateCount == 0)
    }
}
