import SIP
import Testing

extension Scenarios {
    /// RFC 5407 section 3.2.5.
    @Test("a REFER that crosses our BYE is refused, and nobody is asked") func referCrossesBye() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        bench.clear()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        #expect(bench.codes == [481])
        #expect(bench.events.isEmpty)
    }
}
