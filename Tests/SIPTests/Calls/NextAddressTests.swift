import SIP
import Testing

/// RFC 3263 section 4.3 and RFC 8305: a name that leads to several addresses, of which the first ones are silent by UDP.
@Suite("A server with several addresses") struct NextAddressTests {
    private let hops = ["2001:db8::9", "192.0.2.9", "192.0.2.10"].map {
        ServerHop(transport: .udp, address: SignallingAddress(host: $0, port: 5060))
    }

    private let address = SIPURI(user: "101", host: "pbx.example.com")

    private func bench(_ count: Int = 2) -> Bench {
        let bench = Bench()
        bench.names["pbx.example.com"] = Array(hops.prefix(count))
        return bench
    }

    private func call(_ bench: Bench) throws -> CallHandle {
        let call = try bench.agent.invite(uri("sip:a@pbx.example.com"), body: offer, now: bench.now)
        bench.collect()
        return call
    }

    private func places(_ bench: Bench, _ method: SIP.Method = .invite) -> [String] {
        bench.sent.compactMap { sent in
            if case .request(let request) = sent.message, request.method == method {
                sent.destination.address.host
            } else {
                nil
            }
        }
    }

    /// A call whose INVITE is with both addresses, and what each of them got.
    private func race(_ bench: Bench) throws -> (call: CallHandle, first: Request, second: Request) {
        let call = try call(bench)
        let first = try bench.request(.invite)
        bench.advance(2000)
        return (call, first, try bench.request(.invite))
    }

    @Test("one that is silent for two seconds gets no more; the next one gets the request with a branch of its own")
    func silent() throws {
        let bench = bench()
        let (_, first, second) = try race(bench)
        #expect(places(bench) == [hops[0], hops[0], hops[0], hops[1]].map(\.address.host))
        #expect(first.headers.topVia?.branch != second.headers.topVia?.branch)
        #expect(first.headers.callID == second.headers.callID && first.headers.cSeq == second.headers.cSeq)
        bench.answer(second, 200, body: answerBody)
        #expect(bench.answered.count == 1)
        bench.clear()
        bench.advance(70_000)
        #expect(bench.requests.isEmpty && bench.ended.isEmpty)
    }

    @Test("whoever says something in time is given the time of its transaction") func slow() throws {
        let bench = bench()
        _ = try call(bench)
        bench.advance(1900)
        bench.answer(try bench.request(.invite), 100)
        bench.advance(60_000)
        #expect(Set(places(bench)) == [hops[0].address.host])
    }

    @Test("whoever has challenged the request is given that time as well") func challenged() throws {
        let bench = bench()
        let id = AccountID("a")
        bench.agent.add(Account(id: id, address: address, password: Password("secret-101"), followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.register), 401, [(.wwwAuthenticate, "Digest realm=\"x\", nonce=\"1\", algorithm=MD5")])
        bench.advance(10_000)
        #expect(bench.requests(.register).last?.headers.contains(.authorization) == true)
        #expect(Set(places(bench, .register)) == [hops[0].address.host])
    }

    @Test("the next request goes where the last one was answered, until ten minutes later or the network changes")
    func remembered() throws {
        let bench = bench(3)
        _ = try race(bench)
        bench.answer(try bench.request(.invite), 486)
        func first() throws -> String? {
            bench.clear()
            _ = try call(bench)
            bench.answer(try bench.request(.invite), 486)
            return places(bench).first
        }
        #expect(try first() == hops[1].address.host)
        bench.advance(595_000)
        #expect(try first() == hops[1].address.host)
        bench.advance(6000)
        #expect(try first() == hops[0].address.host)
        _ = try race(bench)
        bench.answer(try bench.request(.invite), 486)
        #expect(try first() == hops[1].address.host)
        bench.agent.add(Account(id: AccountID("a"), address: address))
        bench.agent.addressChanged(now: bench.now)
        #expect(try first() == hops[0].address.host)
    }

    @Test("an account stays at the server that holds its registration, unless a better one is there", arguments: [0, 1])
    func staying(rank: Int) throws {
        let bench = bench()
        let id = AccountID("a")
        bench.agent.add(Account(id: id, address: address, followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "100")])
        #expect(bench.registrations.count == 1)
        // The same name, drawn in another order.
        var drawn = Array(hops.prefix(2).reversed())
        drawn[1].rank = rank
        bench.names["pbx.example.com"] = drawn
        bench.clear()
        bench.advance(90_000)
        #expect(places(bench, .register).first == hops[rank].address.host)
        bench.clear()
        _ = try bench.agent.invite(uri("sip:a@pbx.example.com"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(places(bench).first == hops[rank].address.host)
    }

    @Test("a registrar that has no time is left alone as long as it asks for, where another one will do") func rest() throws {
        let bench = bench()
        let id = AccountID("a")
        bench.agent.add(Account(id: id, address: address, followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 503, [(.retryAfter, "30")])
        #expect(places(bench, .register) == hops.prefix(2).map(\.address.host))
        for (wait, place) in [(29_000.0, 1), (2000, 0)] {
            bench.advance(wait)
            bench.clear()
            _ = try call(bench)
            #expect(places(bench) == [hops[place].address.host])
            bench.answer(try bench.request(.invite), 486)
        }
    }

    @Test("what a proxy hands on of a callee who has no time counts against nobody") func calleeWithoutTime() throws {
        let bench = bench()
        _ = try call(bench)
        for _ in 0..<2 { bench.answer(try bench.request(.invite), 503, [(.retryAfter, "30")]) }
        #expect(places(bench) == hops.prefix(2).map(\.address.host))
        bench.clear()
        _ = try call(bench)
        #expect(places(bench) == [hops[0].address.host])
    }

    @Test("who rings after another one has is cancelled, and the call goes on") func lateRinging() throws {
        let bench = bench()
        let (_, first, second) = try race(bench)
        bench.answer(second, 180, tag: "second")
        bench.answer(first, 180, tag: "first")
        #expect(places(bench, .cancel) == [hops[0].address.host])
        #expect(try bench.request(.cancel).headers.topVia == first.headers.topVia)
        bench.answer(try bench.request(.cancel), 200)
        bench.answer(first, 180, tag: "first")
        bench.answer(first, 487, tag: "first")
        #expect(places(bench, .cancel).count == 1)
        #expect(places(bench, .ack) == [hops[0].address.host])
        #expect(bench.progress.map(\.branch) == ["second"] && bench.ended.isEmpty)
        bench.answer(second, 200, tag: "second", body: answerBody)
        #expect(bench.answered.map(\.1.branch) == ["second"])
    }

    @Test("who answers after another one has rung is acknowledged and hung up on, and the call goes on")
    func lateAnswer() throws {
        let bench = bench()
        let (call, first, second) = try race(bench)
        bench.answer(second, 180, tag: "second")
        for _ in 0..<2 { bench.answer(first, 200, tag: "first", body: answerBody) }
        #expect(bench.answered.isEmpty && bench.ended.isEmpty)
        #expect(bench.requests(.ack).map(\.headers.to.tag) == ["first", "first"])
        #expect(bench.requests(.bye).map(\.headers.to.tag) == ["first"])
        bench.answer(try bench.request(.bye), 200, tag: "first")
        bench.answer(second, 200, tag: "second", body: answerBody)
        #expect(bench.answered.map(\.1.branch) == ["second"])
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(try bench.request(.bye).headers.to.tag == "second")
        bench.answer(try bench.request(.bye), 200)
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("the first one that answers late but first of all has the call") func firstAfterAll() throws {
        let bench = bench()
        let (_, first, second) = try race(bench)
        bench.answer(first, 180, tag: "first")
        bench.answer(second, 180, tag: "second")
        #expect(places(bench, .cancel) == [hops[1].address.host])
        bench.answer(second, 487, tag: "second")
        bench.answer(first, 200, tag: "first", body: answerBody)
        #expect(bench.answered.map(\.1.branch) == ["first"])
        bench.clear()
        _ = try call(bench)
        #expect(places(bench) == [hops[0].address.host])
    }

    @Test("who knows the call by its other address (482) refuses nothing: the other answer is waited for") func merged() throws
    {
        let bench = bench(3)
        let (_, first, second) = try race(bench)
        bench.answer(second, 482)
        #expect(bench.ended.isEmpty)
        bench.advance(10_000)
        #expect(!places(bench).contains(hops[2].address.host))
        bench.answer(first, 200, body: answerBody)
        #expect(bench.answered.count == 1)
    }

    @Test("whoever hangs up meanwhile calls nobody more, and whoever rings then is cancelled") func hungUp() throws {
        let bench = bench(3)
        let (call, first, second) = try race(bench)
        try bench.agent.hangUp(call, now: bench.now)
        bench.advance(4000)
        #expect(!places(bench).contains(hops[2].address.host))
        bench.answer(first, 180, tag: "first")
        bench.answer(second, 180, tag: "second")
        #expect(places(bench, .cancel) == [hops[0].address.host, hops[1].address.host])
        for (request, tag) in [(first, "first"), (second, "second")] { bench.answer(request, 487, tag: tag) }
        for cancel in bench.requests(.cancel) { bench.answer(cancel, 200) }
        bench.advance(70_000)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("what belongs to a call goes where its INVITE was answered, whatever is remembered of a name") func sameWay() throws {
        let bench = bench()
        let (call, _, second) = try race(bench)
        bench.answer(second, 200, [(.contact, "<sip:peer@pbx.example.com>")], body: answerBody)
        bench.advance(700_000)
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(places(bench, .ack) == [hops[1].address.host])
        #expect(places(bench, .bye) == [hops[1].address.host])
    }

    @Test("what belongs to a call that came goes where it came from") func whereItCameFrom() throws {
        let bench = bench()
        let (handle, _) = try bench.establishedIncoming(contact: "<sip:peer@pbx.example.com>")
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(places(bench, .bye) == [hops[1].address.host])
    }

    @Test("where all are silent the call ends once, when the last one's time is over") func allSilent() throws {
        let bench = bench(3)
        _ = try call(bench)
        bench.advance(35_000)
        #expect(bench.ended.isEmpty)
        bench.advance(1001)
        #expect(bench.ended.map(\.1.cause) == [.timeout])
        #expect(bench.agent.stateCount == 0)
    }

    @Test("where the last one cannot be reached the silent ones still may answer") func lastFails() throws {
        let bench = bench()
        let (_, first, _) = try race(bench)
        bench.agent.transportFailed(hops[1].destination, now: bench.now)
        bench.collect()
        #expect(bench.ended.isEmpty)
        bench.answer(first, 200, body: answerBody)
        #expect(bench.answered.count == 1)
    }

    @Test(
        "a stream that was not opened for seconds is not tried first again; one that was refused at once is",
        arguments: [4000.0, 0])
    func streams(wait: Double) throws {
        let bench = Bench()
        let streams = hops.prefix(2).map { ServerHop(transport: .tls, address: $0.address, serverName: "pbx.example.com") }
        bench.names["pbx.example.com"] = streams
        _ = try call(bench)
        bench.advance(wait)
        bench.agent.transportFailed(streams[0].destination, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.invite), 486)
        bench.clear()
        _ = try call(bench)
        #expect(places(bench) == [streams[wait > 0 ? 1 : 0].address.host])
    }

    @Test("a text goes to one address, however slow it is: it would come twice") func text() throws {
        let bench = bench()
        _ = try bench.agent.send(
            .message, to: uri("sip:a@pbx.example.com"), body: Body(contentType: "text/plain", bytes: [65]), now: bench.now)
        bench.collect()
        bench.advance(20_000)
        #expect(Set(places(bench, .message)) == [hops[0].address.host])
    }

    @Test("each family of addresses is told what is said to it, whichever has the call", arguments: [true, false])
    func families(isSecond: Bool) throws {
        let bench = bench()
        let id = AccountID("a")
        bench.agent.add(Account(id: id, address: address, password: Password("secret-101"), followsSeenAddress: false))
        let bodies = [true: offer, false: answerBody]
        let call = try bench.agent.invite(
            uri("sip:a@pbx.example.com"), account: id, body: offer, bodies: bodies, now: bench.now)
        bench.collect()
        let first = try bench.request(.invite)
        bench.advance(2000)
        let second = try bench.request(.invite)
        #expect(first.body == offer.bytes && second.body == answerBody.bytes)
        #expect(bench.agent.way(of: call) == nil)
        bench.answer(
            isSecond ? second : first, 401, [(.wwwAuthenticate, "Digest realm=\"x\", nonce=\"1\", algorithm=MD5")])
        let again = try bench.request(.invite)
        #expect(again.headers.contains(.authorization))
        #expect(again.body == (isSecond ? second : first).body)
        bench.answer(again, 200, body: answerBody)
        #expect(bench.answered.count == 1)
        #expect(bench.agent.way(of: call) == hops[isSecond ? 1 : 0].address)
    }

    @Test("an account registers at the address that answers, and stays there") func registration() throws {
        let bench = bench()
        let id = AccountID("a")
        bench.agent.add(Account(id: id, address: address, followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.advance(2000)
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(bench.registrations.count == 1)
        #expect(bench.agent.registrar(of: id) == hops[1].address)
        #expect(bench.agent.isAccountServer(hops[0].address.host), "it may call from there all the same")
        bench.clear()
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        #expect(places(bench, .register) == [hops[1].address.host])
    }
}
