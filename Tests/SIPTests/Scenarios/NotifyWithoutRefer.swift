import SIP
import Testing

extension Scenarios {
    /// RFC 6665 section 4.1.3.
    @Test("a NOTIFY that nobody asked for: 481") func notifyWithoutRefer() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(
            call.request(
                .notify, number: 2, body: Body(contentType: "message/sipfrag", bytes: wire("SIP/2.0 200 OK\n")),
                [(.event, "refer"), (.subscriptionState, "active")]))
        #expect(bench.codes == [481])
        #expect(bench.events.isEmpty)
    }
}
