import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 17.1.1.2: over a reliable transport timer D is zero.
    @Test("a refusal that comes again over a stream is nobody's") func refusalOverStream() throws {
        let bench = Bench()
        bench.peer = SignallingSource(
            transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 5060),
            connection: SignallingConnectionID(number: 1))
        _ = try bench.agent.invite(uri("sip:peer@192.0.2.9;transport=tcp"), body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        bench.answer(invite, 486)
        bench.answer(invite, 486)
        #expect(bench.requests(.ack).count == 1)
        #expect(bench.drops == [.strayResponse])
        #expect(bench.agent.stateCount == 0)
    }
}
