import SIP
import Testing

extension Scenarios {
    /// RFC 3515 section 2.4: one wish after the other.
    @Test("a second REFER while the user is asked about the first is put off") func transferDuringTransfer() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        bench.clear()
        bench.feed(call.request(.refer, number: 3, body: nil, [(.referTo, "<sip:dave@example.com>")]))
        #expect(try #require(bench.codes.last) >= 400)
        #expect(bench.events.isEmpty)
    }
}
