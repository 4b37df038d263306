import SIP
import Testing

@Suite("Requests outside of calls, and what strangers can do") struct RequestsOutsideCallsTests {
    @Test("OPTIONS is answered without state, each time the same") func options() throws {
        let bench = Bench()
        let request = PeerCall().request(.options, branch: "z9hG4bKo")
        bench.feed(request)
        bench.feed(request)
        #expect(bench.codes == [200, 200])
        #expect(bench.responses.first?.bytes == bench.responses.last?.bytes)
        #expect(bench.agent.stateCount == 0)
        let ok = try bench.response()
        #expect(ok.headers.allow.contains(.invite))
        #expect(ok.headers.tokens(.accept) == ["application/sdp"])
        #expect(ok.headers.lists("100rel", in: .supported))
        #expect(ok.headers.to.tag != nil)
    }

    @Test("while it is full, OPTIONS hear 503 and when to ask again; INVITE is handed on, and may be refused so")
    func full() throws {
        let bench = Bench()
        bench.agent.fullRetryAfter = 5
        var asking = PeerCall(callID: "asks")
        bench.feed(asking.request(.options))
        #expect(bench.codes.last == 503)
        #expect(try bench.response().headers.text(.retryAfter) == "5")
        bench.feed(PeerCall(callID: "calls").request(.invite, branch: "z9hG4bKf", body: offer))
        let caller = try #require(bench.incoming.last?.0)
        try bench.agent.reject(caller, status: 503, retryAfter: 7, now: bench.now)
        bench.collect()
        #expect(try bench.response().headers.text(.retryAfter) == "7")
        bench.agent.fullRetryAfter = nil
        var again = PeerCall(callID: "asks-again")
        bench.feed(again.request(.options))
        #expect(bench.codes.last == 200)
    }

    @Test(
        "while it drains, INVITE and OPTIONS hear 503 and when to come again; what rings is refused so, and what goes on goes on"
    )
    func draining() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        bench.feed(PeerCall(callID: "rings").request(.invite, branch: "z9hG4bKb", body: offer))
        let ringing = try #require(bench.incoming.last?.0)
        bench.agent.retryAfter = 30
        try bench.agent.reject(ringing, status: 503, now: bench.now)
        bench.collect()
        #expect(try bench.response().headers.text(.retryAfter) == "30")
        let kept = bench.agent.stateCount
        for method in [SIP.Method.invite, .options] {
            var other = PeerCall(callID: "new-\(method.name)")
            bench.feed(other.request(method, body: method == .invite ? offer : nil))
            #expect(bench.codes.last == 503)
            #expect(try bench.response().headers.text(.retryAfter) == "30")
        }
        #expect(bench.incoming.count == 1 && bench.agent.stateCount == kept, "a refusal keeps no state")
        bench.feed(call.request(.options, number: 2))
        #expect(bench.codes.last == 200)
        bench.feed(call.request(.bye, number: 3))
        #expect(bench.codes.last == 200 && bench.ended.count == 2)
    }

    @Test(
        "what is not served is refused with its own code",
        arguments: [
            ("REGISTER", 405), ("SUBSCRIBE", 405), ("PUBLISH", 405), ("FOO", 501), ("BYE", 481), ("PRACK", 481),
            ("UPDATE", 481), ("INFO", 481), ("NOTIFY", 481), ("REFER", 403),
        ])
    func refused(method: String, status: Int) throws {
        let bench = Bench()
        var call = PeerCall()
        bench.feed(call.request(SIP.Method(method)))
        #expect(bench.codes == [status])
        #expect(bench.agent.stateCount == 0)
        if status == 405 { #expect(try bench.response().headers.allow.isEmpty == false) }
    }

    @Test("MESSAGE is shown once, whatever is repeated") func message() throws {
        let bench = Bench()
        let text = Body(contentType: "text/plain;charset=utf-8", bytes: Array("hi".utf8))
        let request = PeerCall().request(.message, branch: "z9hG4bKm", body: text)
        bench.feed(request)
        bench.feed(request)
        #expect(bench.codes == [200, 200])
        #expect(bench.events.count == 1)
        var call = PeerCall(callID: "other")
        bench.feed(call.request(.message, body: Body(contentType: "image/png", bytes: [1])))
        #expect(bench.codes.last == 415)
    }

    @Test("INVITE of who may not call: one 403, each time the same, and nothing is kept") func strangersCall() throws {
        let bench = Bench { $0.admitsCalls = { $0.remote.host == "198.51.100.3" } }
        var call = PeerCall()
        let invite = call.request(.invite, body: offer)
        for _ in 0..<2 { bench.feed(invite) }
        #expect(bench.codes == [403, 403] && bench.events.isEmpty && bench.agent.stateCount == 0)
        #expect(bench.responses[0].headers.to.tag == bench.responses[1].headers.to.tag)
        call.toTag = bench.responses[0].headers.to.tag
        var acknowledgement = call.request(.ack)
        acknowledgement.headers.set(.via, invite.headers.text(.via) ?? "")
        bench.feed(acknowledgement)
        #expect(bench.events.isEmpty, "it is as it should be")
        bench.advance(60_000)
        #expect(bench.codes.count == 2)
        let friend = SignallingSource(transport: .udp, remote: SignallingAddress(host: "198.51.100.3", port: 5060))
        bench.feed(invite.bytes, from: friend)
        #expect(bench.codes == [403, 403, 100] && bench.incoming.count == 1)
    }

    @Test("MESSAGE of who may not call: 403, and it is not told; within a call it is") func strangersMessage() throws {
        let bench = Bench { $0.admitsTexts = { $0.remote.host == "198.51.100.3" } }
        let text = Body(contentType: "text/plain", bytes: Array("buy".utf8))
        let request = PeerCall().request(.message, branch: "z9hG4bKm", body: text)
        bench.feed(request)
        #expect(bench.codes == [403] && bench.events.isEmpty && bench.agent.stateCount == 0)
        let friend = SignallingSource(transport: .udp, remote: SignallingAddress(host: "198.51.100.3", port: 5060))
        bench.feed(request.bytes, from: friend)
        #expect(bench.codes == [403, 200] && bench.events.count == 1)
        var (_, call) = try bench.establishedIncoming()
        bench.feed(call.request(.message, number: 2, body: text))
        #expect(bench.codes == [200] && bench.events.count == 1)
    }

    @Test("our OPTIONS and MESSAGE tell how they went") func ours() throws {
        let bench = Bench()
        let id = try bench.agent.options(uri("sip:192.0.2.9"), now: bench.now)
        let other = try bench.agent.send(
            .message, to: uri("sip:a@192.0.2.9"), body: Body(contentType: "text/plain", bytes: [65]), now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.options), 200)
        bench.advance(32_001)
        let answers = bench.events.compactMap { event -> (RequestID, Int)? in
            if case .answer(let id, let status, _, _) = event { (id, status) } else { nil }
        }
        #expect(answers.map(\.1) == [200, 408])
        #expect(answers.map(\.0) == [id, other])
    }

    @Test("a non-INVITE request is repeated at T1 doubling to T2, and given up after 64 T1") func timers() throws {
        let bench = Bench()
        _ = try bench.agent.options(uri("sip:192.0.2.9"), now: bench.now)
        bench.collect()
        let start = bench.now
        bench.advance(40_000)
        let times = bench.sent.map { $0.time.milliseconds(since: start) }
        #expect(times == [0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500])
    }

    @Test("a reliable transport repeats nothing") func reliable() throws {
        let bench = Bench()
        _ = try bench.agent.options(uri("sip:192.0.2.9;transport=tcp"), now: bench.now)
        bench.advance(40_000)
        #expect(bench.sent.count == 1)
        #expect(bench.sent.first?.destination.transport == .tcp)
    }

    @Test("an answer by UDP leaves from the address that was asked (RFC 3581 section 4), a request of ours from the route's")
    func askedAddress() throws {
        let bench = Bench()
        let local = SignallingAddress(host: "192.0.2.77", port: 5060)
        bench.peer.local = local
        bench.feed(PeerCall().request(.options, branch: "z9hG4bKs").bytes)
        #expect(bench.codes == [200])
        #expect(bench.sent.last?.destination.local == local)
        _ = try bench.agent.options(uri("sip:192.0.2.9"), now: bench.now)
        bench.collect()
        #expect(try bench.request(.options).method == .options)
        #expect(bench.sent.last?.destination.address.host == "192.0.2.9" && bench.sent.last?.destination.local == nil)
    }

    @Test("a stream: pong for a ping, answers on the same connection, broken framing closes it") func stream() throws {
        let bench = Bench()
        let source = SignallingSource(
            transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 40_000),
            connection: SignallingConnectionID(number: 3))
        bench.feed([13, 10, 13, 10], from: source)
        #expect(bench.rawSent == [[13, 10]])
        let request = PeerCall().request(.options, branch: "z9hG4bKs").bytes
        bench.feed(Array(request[..<30]), from: source)
        #expect(bench.agent.pendingBytes(on: SignallingConnectionID(number: 3)) == 30)
        bench.feed(Array(request[30...]), from: source)
        #expect(bench.codes == [200])
        #expect(bench.sent.last?.destination.connection == SignallingConnectionID(number: 3))
        bench.feed(wire("INVITE x SIP/2.0\nContent-Length: -4\n\n"), from: source)
        #expect(bench.closed == [SignallingConnectionID(number: 3)])
    }

    private let stranger = SignallingSource(
        transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 40_000),
        connection: SignallingConnectionID(number: 3))

    @Test("a stream of nothing but line ends costs no more than it is long, and one pong is enough for all that came together")
    func lineEnds() {
        let bench = Bench()
        bench.feed(Array(repeatElement([13, 10, 13, 10] as [UInt8], count: 250_000).joined()), from: stranger)
        #expect(bench.rawSent == [[13, 10]])
        for octet in [UInt8(10), 13] { bench.feed([UInt8](repeating: octet, count: 1_000_000), from: stranger) }
        #expect(bench.rawSent.count == 1 && bench.closed.isEmpty)
    }

    @Test("a message that has begun ends within half a minute, or its stream is closed; others may follow each other for long")
    func unfinished() throws {
        let bench = Bench()
        var request = PeerCall().request(.options, branch: "z9hG4bKs").bytes
        bench.feed(Array(request[..<30]), from: stranger)
        bench.advance(20_000)
        bench.feed(Array(request[30..<40]), from: stranger)
        bench.advance(11_000)
        #expect(bench.closed.isEmpty)
        bench.advance(2000)
        #expect(bench.closed == [SignallingConnectionID(number: 3)] && bench.drops.last == .brokenStream(.unfinished))
        let other = Bench()
        other.feed(Array(request[..<30]), from: stranger)
        for number in 0..<5 {
            other.advance(20_000)
            let rest = request[30...]
            request = PeerCall().request(.options, branch: "z9hG4bKt\(number)").bytes
            other.feed(Array(rest) + Array(request[..<30]), from: stranger)
        }
        #expect(other.closed.isEmpty && other.codes == [200, 200, 200, 200, 200])
        other.advance(33_000)
        #expect(other.closed == [SignallingConnectionID(number: 3)])
    }

    @Test("a stranger's calls are capped, others still come through") func callCap() throws {
        let bench = Bench()
        for index in 0..<20 {
            var call = PeerCall(callID: String(repeating: "c", count: index + 1))
            bench.feed(call.request(.invite, body: offer))
        }
        #expect(bench.incoming.count == 4)
        #expect(bench.codes.filter { $0 == 503 }.count == 16)
        let other = SignallingSource(transport: .udp, remote: SignallingAddress(host: "198.51.100.3", port: 5060))
        var call = PeerCall(callID: "from elsewhere")
        call.callID = "elsewhere"
        bench.feed(call.request(.invite, body: offer).bytes, from: other)
        #expect(bench.incoming.count == 5)
    }

    @Test("a stranger's transactions are capped and dropped without an answer") func transactionCap() throws {
        let bench = Bench()
        for index in 0..<1000 {
            let body = Body(contentType: "text/plain", bytes: [65])
            bench.feed(PeerCall(callID: "m\(index)").request(.message, branch: "z9hG4bKm\(index)", body: body))
        }
        #expect(bench.codes.count == 128)
        #expect(bench.drops.filter { $0 == .tooManyTransactions }.count == 872)
        bench.advance(33_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("a stranger with too many transactions who calls is told to come back later, and nothing is kept of it")
    func transactionCapOfCallers() throws {
        let bench = Bench()
        for index in 0..<200 {
            let body = Body(contentType: "text/plain", bytes: [65])
            bench.feed(PeerCall(callID: "m\(index)").request(.message, branch: "z9hG4bKm\(index)", body: body))
        }
        let kept = bench.agent.stateCount
        bench.clear()
        var call = PeerCall(callID: "late")
        bench.feed(call.request(.invite, body: offer))
        #expect(bench.codes == [503])
        #expect(bench.incoming.isEmpty)
        #expect(bench.agent.stateCount == kept)
    }

    @Test("a stranger may have begun 1024 calls within 32 s that were answered, beside his other requests; then he waits")
    func answeredCallsAreManyAndCapped() throws {
        let bench = Bench()
        for index in 0..<1024 {
            var call = PeerCall(callID: "call\(index)")
            bench.feed(call.request(.invite, branch: "z9hG4bKi\(index)", body: offer))
            let handle = try #require(bench.incoming.last?.0)
            try bench.agent.answer(handle, body: answerBody, now: bench.now)
            bench.collect()
            call.toTag = try bench.response().headers.to.tag
            bench.feed(call.request(.ack, branch: "z9hG4bKa\(index)"))
            bench.feed(call.request(.bye, number: 2, branch: "z9hG4bKb\(index)"))
            bench.clear()
        }
        #expect(bench.drops.isEmpty)
        var late = PeerCall(callID: "late")
        bench.feed(late.request(.invite, body: offer))
        #expect(bench.codes == [503])
        bench.advance(33_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("strangers at the peer's own address keep no call from being changed and ended") func capsSpareCalls() throws {
        let bench = Bench()
        var (_, call) = try bench.establishedIncoming()
        for index in 0..<1000 {
            let body = Body(contentType: "text/plain", bytes: [65])
            bench.feed(PeerCall(callID: "m\(index)").request(.message, branch: "z9hG4bKm\(index)", body: body))
        }
        #expect(bench.drops.filter { $0 == .tooManyTransactions }.count > 800)
        bench.clear()
        bench.feed(call.request(.info, number: 2))
        bench.feed(call.request(.bye, number: 3))
        #expect(bench.codes == [200, 200])
        #expect(bench.ended.count == 1)
    }

    @Test("a name that leads nowhere, and one that nobody resolves") func unresolved() throws {
        let bench = Bench()
        bench.names["nowhere.example.com"] = []
        _ = try bench.agent.options(uri("sip:nowhere.example.com"), now: bench.now)
        bench.collect()
        guard case .answer(_, status: 503, _, _)? = bench.events.last else {
            Issue.record("not told")
            return
        }
        _ = try bench.agent.options(uri("sip:slow.example.com"), now: bench.now)
        _ = bench.agent.takeOutputs()
        bench.advance(32_001)
        #expect(bench.events.count == 2)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("URIs that cannot be called are refused") func badTargets() throws {
        let bench = Bench()
        for text in ["tel:+123", "http://example.com", "urn:service:sos"] {
            #expect(throws: UserAgentError.badURI(text)) {
                _ = try bench.agent.invite(uri(text), body: offer, now: bench.now)
            }
        }
        #expect(throws: UserAgentError.noSuchAccount(AccountID("x"))) {
            _ = try bench.agent.invite(uri("sip:a@b"), account: AccountID("x"), body: offer, now: bench.now)
        }
    }
}
