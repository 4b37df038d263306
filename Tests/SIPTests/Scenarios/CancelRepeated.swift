import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 9.2.
    @Test("the peer's CANCEL that comes again gets the same 200, and one end is told") func cancelRepeated() throws {
        let bench = Bench()
        let call = PeerCall()
        bench.feed(call.request(.invite, branch: "z9hG4bKi", body: offer))
        let cancel = call.request(.cancel, branch: "z9hG4bKi")
        bench.feed(cancel)
        bench.feed(cancel)
        #expect(bench.codes == [100, 200, 487, 200])
        #expect(bench.ended.count == 1)
    }
}
