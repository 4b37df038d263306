import SIP
import Testing

extension Scenarios {
    /// RFC 4028 section 10: each refresh of the peer begins the interval anew.
    @Test("a peer that refreshes in time keeps the call for ever") func peerRefreshes() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming([(.supported, "timer"), (.sessionExpires, "120;refresher=uac")])
        for round in 0..<20 {
            bench.advance(60_000)
            bench.feed(
                call.request(
                    .update, number: UInt32(2 + round), body: nil,
                    [(.sessionExpires, "120;refresher=uac"), (.supported, "timer")]))
            #expect(bench.codes.last == 200)
        }
        #expect(bench.ended.isEmpty)
        bench.advance(120_000)
        #expect(bench.ended.map(\.1.cause) == [.sessionExpired])
    }
}
