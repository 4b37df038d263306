import SIP
import Testing

extension Scenarios {
    /// RFC 3261 section 17.2.2: timer J keeps the answer for 64 T1.
    @Test("a request that comes again gets the same answer, and is not told again") func repeatedRequest() throws {
        let bench = Bench()
        let call = PeerCall()
        let text = Body(contentType: "text/plain", bytes: [72, 105])
        let message = call.request(.message, branch: "z9hG4bKm", body: text)
        for _ in 0..<3 {
            bench.feed(message)
            bench.advance(5000)
        }
        let told = bench.events.filter { if case .message = $0 { true } else { false } }
        #expect(told.count == 1)
        #expect(bench.codes == [200, 200, 200])
        #expect(Set(bench.responses.map(\.bytes)).count == 1)
        bench.advance(33_000)
        #expect(bench.agent.stateCount == 0)
    }
}
