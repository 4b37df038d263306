import SIP
import Testing

extension Scenarios {
    /// RFC 6665 section 4.2.2, RFC 5057 section 5.1.
    @Test(
        "a NOTIFY of ours that fails ends the telling of the transfer, never the call",
        arguments: [400, 404, 408, 422, 481, 489, 500])
    func notifyRefused(status: Int) throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        try bench.agent.acceptTransfer(handle, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.notify), status)
        #expect(bench.ended.isEmpty)
        #expect(throws: UserAgentError.self) { try bench.agent.reportTransfer(handle, status: 180, now: bench.now) }
        #expect(bench.requests(.notify).count == 1)
        // The peer may ask for another one.
        bench.feed(call.request(.refer, number: 3, body: nil, [(.referTo, "<sip:dave@example.com>")]))
        try bench.agent.acceptTransfer(handle, now: bench.now)
        bench.collect()
        #expect(try bench.request(.notify).headers.event?.parameters["id"] == "3")
    }

    @Test("a NOTIFY of ours that nobody answers ends the telling of the transfer, never the call") func notifyUnanswered()
        throws
    {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        try bench.agent.acceptTransfer(handle, now: bench.now)
        bench.advance(32_001)
        #expect(bench.ended.isEmpty)
        #expect(throws: UserAgentError.self) { try bench.agent.reportTransfer(handle, status: 200, now: bench.now) }
    }

    @Test("a NOTIFY of ours that is put off is followed by the next one") func notifyPutOff() throws {
        let bench = Bench()
        var (handle, call) = try bench.establishedIncoming()
        bench.feed(call.request(.refer, number: 2, body: nil, [(.referTo, "<sip:carol@example.com>")]))
        try bench.agent.acceptTransfer(handle, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.notify), 503, [(.retryAfter, "2")])
        try bench.agent.reportTransfer(handle, status: 200, now: bench.now)
        bench.collect()
        #expect(try bench.request(.notify).headers.subscriptionState?.token == "terminated")
        #expect(bench.ended.isEmpty)
    }
}
