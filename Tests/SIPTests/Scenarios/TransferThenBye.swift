import SIP
import Testing

extension Scenarios {
    /// RFC 3515 section 2.4.7: the transferor hangs up, its subscription may go on or not.
    @Test("the one who asked for a transfer hangs up while we are asked: one end, and no question is left")
    func transferThenBye() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        bench.feed(call.request(.bye, number: 3))
        #expect(bench.ended.count == 1)
        #expect(throws: UserAgentError.self) { try bench.agent.acceptTransfer(handle, now: bench.now) }
        bench.advance(200_000)
        #expect(bench.agent.stateCount == 0)
    }
}
