import Realtime
import SIP
import Testing

/// RFC 6665 section 4.1, RFC 3842.
@Suite("Whether messages wait") struct MessageWatchTests {
    private let id = AccountID("a")
    private static let type = "application/simple-message-summary"
    private static let waiting = Body(contentType: type, bytes: wire("Messages-Waiting: yes\nVoice-Message: 2/8\n"))

    private func bench(seed: UInt64 = 7, _ change: (inout Account) -> Void = { _ in }) throws -> Bench {
        let bench = Bench(seed: seed)
        var account = Account(
            id: id, address: SIPURI(user: "101", host: "192.0.2.9"), password: Password("secret"), expires: 600,
            followsSeenAddress: false, keepAlive: 0, watchesMessages: true)
        change(&account)
        bench.agent.add(account)
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        return bench
    }

    /// The server agrees, and tells how it stands.
    private func subscribed(_ bench: Bench, expires: Int = 3600) throws -> PeerCall {
        let subscribe = try bench.request(.subscribe)
        bench.answer(subscribe, 200, [(.expires, "\(expires)")])
        let peer = notifier(of: subscribe)
        bench.feed(notify(peer, 1, "active;expires=\(expires)", Self.waiting))
        return peer
    }

    private func notifier(of subscribe: Request, tag: String = "peer") -> PeerCall {
        PeerCall(callID: subscribe.headers.callID, fromTag: tag, toTag: subscribe.headers.from.tag)
    }

    private func notify(
        _ peer: PeerCall, _ number: UInt32, _ state: String?, _ body: Body? = nil, event: String? = "message-summary"
    ) -> Request {
        var fields: [(HeaderName, String)] = [(.contact, "<sip:peer@192.0.2.9:5060>")]
        if let event { fields.append((.event, event)) }
        if let state { fields.append((.subscriptionState, state)) }
        return peer.request(
            .notify, number: number, branch: "z9hG4bK\(peer.callID)-\(peer.fromTag)-\(number)", body: body, fields)
    }

    /// Time goes on; REGISTER is answered at once, SUBSCRIBE with `status`, or not at all.
    private func live(_ bench: Bench, seconds: Int, status: Int?, _ fields: [(HeaderName, String)] = []) {
        var seen = Set(bench.requests.compactMap { $0.headers.topVia?.parameters["branch"] })
        for _ in 0..<seconds {
            bench.advance(1000)
            for request in bench.requests.suffix(8) {
                guard let branch = request.headers.topVia?.parameters["branch"], seen.insert(branch).inserted else { continue }
                switch request.method {
                case .register: bench.answer(request, 200, [(.expires, "600")])
                case .subscribe: if let status { bench.answer(request, status, fields) }
                default: break
                }
            }
        }
    }

    private func told(_ bench: Bench) -> [Body] {
        bench.events.compactMap { if case .notified(_, event: "message-summary", let body) = $0 { body } else { nil } }
    }

    private func failures(_ bench: Bench) -> [(status: Int?, reason: String, retryAfter: Double?)] {
        bench.events.compactMap {
            guard case .messagesUnwatched(_, let status, let reason, let retry) = $0 else { return nil }
            return (status: status, reason: reason, retryAfter: retry)
        }
    }

    /// Repetitions count once.
    private func subscribes(_ bench: Bench) -> Int {
        Set(bench.requests(.subscribe).compactMap { $0.headers.topVia?.parameters["branch"] }).count
    }

    @Test("SUBSCRIBE follows the registration, and is complete; an account without the wish sends none") func complete() throws
    {
        let bench = try bench()
        let subscribe = try bench.request(.subscribe)
        #expect(subscribe.uri.text == "sip:101@192.0.2.9")
        #expect(subscribe.headers.event?.token == "message-summary")
        #expect(subscribe.headers.tokens(.accept) == [Self.type])
        #expect(subscribe.headers.expires == 3600)
        #expect(subscribe.headers.contacts.map(\.uri) == (try bench.request(.register)).headers.contacts.map(\.uri))
        #expect(subscribe.headers.to.tag == nil && subscribe.headers.from.tag != nil)
        let other = try self.bench { $0.watchesMessages = false }
        live(other, seconds: 4000, status: 200)
        #expect(other.requests(.subscribe).isEmpty)
    }

    @Test("what the server tells is handed on and answered, repetitions once") func tells() throws {
        let bench = try bench()
        let peer = try subscribed(bench)
        #expect(bench.codes == [200])
        let more = notify(peer, 2, "active;expires=3000", Self.waiting)
        bench.feed(more)
        bench.feed(more)
        #expect(told(bench) == [Self.waiting, Self.waiting] && bench.codes == [200, 200, 200])
        bench.feed(notify(peer, 3, "active"))
        #expect(told(bench).count == 2, "a NOTIFY without a body tells nothing of messages")
        live(bench, seconds: 64, status: nil)
        #expect(bench.agent.stateCount == 0)
    }

    @Test("it is refreshed in its dialog at a safe share of what was granted", arguments: 1...10)
    func refresh(seed: Int) throws {
        let bench = try bench(seed: UInt64(seed))
        _ = try subscribed(bench, expires: 1800)
        let (first, start) = (try bench.request(.subscribe), bench.now)
        live(bench, seconds: 1800, status: 200, [(.expires, "1800")])
        let refreshes = bench.sent.compactMap { sent -> (Request, Double)? in
            guard case .request(let request) = sent.message, request.method == .subscribe, sent.time > start else { return nil }
            return (request, sent.time.milliseconds(since: start))
        }
        let (again, wait) = try #require(refreshes.first)
        #expect(subscribes(bench) == 2)
        #expect(wait >= 0.69 * 1_800_000 && wait <= 0.86 * 1_800_000, "seed \(seed): \(wait) ms")
        #expect(again.headers.callID == first.headers.callID && again.headers.from.tag == first.headers.from.tag)
        #expect(again.headers.to.tag == "peer" && again.headers.cSeq.number == first.headers.cSeq.number + 1)
        #expect(again.uri.text == "sip:peer@192.0.2.9:5060")
        #expect(again.headers.event?.token == "message-summary" && again.headers.expires == 3600)
    }

    @Test("a NOTIFY may shorten it") func shorter() throws {
        let bench = try bench()
        let peer = try subscribed(bench)
        bench.feed(notify(peer, 2, "active;expires=100"))
        live(bench, seconds: 86, status: 200, [(.expires, "3600")])
        #expect(subscribes(bench) == 2)
        bench.feed(notify(peer, 3, "active;expires=4000000000"))
        live(bench, seconds: 2400, status: 200, [(.expires, "3600")])
        #expect(subscribes(bench) == 2, "what is longer than was granted moves nothing")
    }

    @Test("a NOTIFY that comes before the answer makes the dialog") func early() throws {
        let bench = try bench()
        let subscribe = try bench.request(.subscribe)
        let peer = notifier(of: subscribe, tag: "early")
        bench.feed(notify(peer, 1, "active;expires=3600", Self.waiting))
        #expect(told(bench) == [Self.waiting] && bench.codes == [200])
        bench.answer(subscribe, 202, tag: "early", [(.expires, "3600")])
        bench.feed(notify(peer, 2, "active;expires=100"))
        live(bench, seconds: 86, status: nil)
        #expect(try bench.request(.subscribe).headers.to.tag == "early")
        #expect(try bench.request(.subscribe).headers.cSeq.number == 2)
    }

    @Test("another server's NOTIFY is refused once one has told") func forked() throws {
        let bench = try bench()
        _ = try subscribed(bench)
        bench.feed(notify(notifier(of: try bench.request(.subscribe), tag: "other"), 1, "active", Self.waiting))
        #expect(bench.codes == [200, 481] && told(bench).count == 1)
    }

    @Test("nobody's NOTIFY, another event's, an older one: refused, and nothing is told") func hostile() throws {
        let bench = try bench()
        let peer = try subscribed(bench)
        var strangers = peer
        strangers.callID = "made-up"
        bench.feed(notify(strangers, 5, "active", Self.waiting))
        strangers = peer
        strangers.toTag = "made-up"
        bench.feed(notify(strangers, 5, "active", Self.waiting))
        bench.feed(notify(peer, 5, "active", Self.waiting, event: "presence"))
        bench.feed(notify(peer, 6, "active", Self.waiting, event: nil))
        bench.feed(notify(peer, 0, "active", Self.waiting))
        #expect(bench.codes == [200, 481, 481, 489, 489, 500])
        #expect(told(bench).count == 1)
        var random = SplitMix64(seed: 3)
        for round in 0..<2000 {
            let state = "terminated;reason=probation;retry-after=99999999999"
            var bytes = notify(peer, 7 + UInt32(round), state, Self.waiting).bytes
            for _ in 0..<3 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next() as UInt64)
            }
            bench.feed(bytes)
        }
        live(bench, seconds: 70, status: nil)
        #expect(bench.agent.stateCount <= 1, "one SUBSCRIBE may wait for its answer")
    }

    @Test(
        "a server that does not know the event is told of once, and not asked again until the person registers anew",
        arguments: [405, 489, 501])
    func unserved(status: Int) throws {
        let bench = try bench()
        bench.answer(try bench.request(.subscribe), status)
        #expect(failures(bench).map(\.status) == [status] && failures(bench).first?.retryAfter == nil)
        live(bench, seconds: 20_000, status: 200)
        #expect(subscribes(bench) == 1 && failures(bench).count == 1)
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(subscribes(bench) == 2)
    }

    @Test("a refusal is not repeated for minutes, and told once", arguments: [403, 404, 603]) func refusal(status: Int) throws {
        let bench = try bench()
        bench.answer(try bench.request(.subscribe), status)
        live(bench, seconds: 149, status: status)
        #expect(subscribes(bench) == 1)
        live(bench, seconds: 8000, status: status)
        #expect((3...8).contains(subscribes(bench)), "\(subscribes(bench))")
        #expect(failures(bench).map(\.status) == [status])
    }

    @Test("a silent server is asked again with patience, and its registration goes on") func silent() throws {
        let bench = try bench()
        live(bench, seconds: 3600, status: nil)
        #expect(failures(bench).map(\.status) == [408])
        #expect((8...40).contains(subscribes(bench)), "\(subscribes(bench))")
        #expect(bench.failures.isEmpty && bench.registrations.count > 5)
        live(bench, seconds: 400, status: 200, [(.expires, "3600")])
        let asked = subscribes(bench)
        live(bench, seconds: 1000, status: 200, [(.expires, "3600")])
        #expect(subscribes(bench) == asked)
    }

    @Test("423: at once again with the server's minimum; a nonsense minimum is not followed") func tooBrief() throws {
        let bench = try bench()
        bench.answer(try bench.request(.subscribe), 423, [(.minExpires, "7200")])
        #expect(try bench.request(.subscribe).headers.expires == 7200)
        bench.answer(try bench.request(.subscribe), 423, [(.minExpires, "99999999")])
        #expect(subscribes(bench) == 2 && failures(bench).map(\.status) == [423])
    }

    @Test(
        "the server ends it: asked anew soon, later or never, as its reason says",
        arguments: [
            ("terminated;reason=deactivated", 3, 2), ("terminated;reason=timeout", 3, 2), ("terminated", 3, 2),
            ("terminated;reason=probation", 149, 1), ("terminated;reason=probation;retry-after=200", 199, 1),
            ("terminated;reason=giveup;retry-after=200", 321, 2), ("terminated;reason=noresource", 9000, 1),
            ("terminated;reason=rejected", 9000, 1),
        ])
    func ended(state: String, seconds: Int, count: Int) throws {
        let bench = try bench()
        let peer = try subscribed(bench)
        bench.feed(notify(peer, 2, state))
        #expect(bench.codes == [200, 200])
        live(bench, seconds: seconds, status: 200, [(.expires, "3600")])
        #expect(subscribes(bench) == count, "\(state)")
        if count == 2 { #expect(try bench.request(.subscribe).headers.callID != peer.callID) }
        let isTold = !state.contains("deactivated") && !state.contains("timeout")
        #expect(failures(bench).isEmpty == !isTold)
    }

    @Test("a server that agrees and ends it at once, again and again, is not hammered") func loop() throws {
        let bench = try bench()
        var handled = 0
        for _ in 0..<1800 {
            let requests = bench.requests(.subscribe)
            for subscribe in requests.dropFirst(handled) {
                bench.answer(subscribe, 200, [(.expires, "3600")])
                bench.feed(notify(notifier(of: subscribe), 1, "terminated;reason=deactivated"))
            }
            handled = requests.count
            live(bench, seconds: 1, status: nil)
        }
        #expect((6...30).contains(subscribes(bench)), "\(subscribes(bench)) in half an hour")
    }

    @Test("a refresh that hears 481 begins another subscription at once") func forgotten() throws {
        let bench = try bench()
        let peer = try subscribed(bench, expires: 100)
        live(bench, seconds: 90, status: nil)
        let refresh = try bench.request(.subscribe)
        #expect(refresh.headers.callID == peer.callID && refresh.headers.to.tag != nil)
        bench.answer(refresh, 481)
        let again = try bench.request(.subscribe)
        #expect(again.headers.callID != peer.callID && again.headers.to.tag == nil)
        _ = try subscribed(bench)
        #expect(told(bench).count == 2 && failures(bench).isEmpty)
    }

    @Test("a registrar that was away is asked again as soon as it is back, and one that was there is not") func back() throws {
        let bench = try bench()
        _ = try subscribed(bench)
        live(bench, seconds: 1500, status: 200)
        #expect(subscribes(bench) == 1)
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 503)
        #expect(subscribes(bench) == 1)
        live(bench, seconds: 4, status: 200, [(.expires, "3600")])
        #expect(subscribes(bench) == 2)
        #expect(try bench.request(.subscribe).headers.to.tag == "peer")
        bench.agent.addressChanged(now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(subscribes(bench) == 3)
    }

    @Test("taken back: SUBSCRIBE for 0 seconds in the dialog, and the last word is still taken") func given() throws {
        let bench = try bench()
        let peer = try subscribed(bench)
        try bench.agent.unregister(id, now: bench.now)
        bench.collect()
        let last = try bench.request(.subscribe)
        #expect(last.headers.expires == 0 && last.headers.to.tag == "peer" && last.headers.cSeq.number == 2)
        #expect(bench.agent.hasOpenRequests)
        bench.answer(last, 200, [(.expires, "0")])
        bench.answer(try bench.request(.register), 200)
        #expect(!bench.agent.hasOpenRequests)
        bench.feed(notify(peer, 2, "terminated;reason=timeout", Self.waiting))
        #expect(bench.codes == [200, 200] && told(bench).count == 2)
        bench.feed(notify(peer, 3, "active", Self.waiting))
        #expect(bench.codes == [200, 200, 481])
        bench.advance(100_000)
        #expect(subscribes(bench) == 2 && bench.agent.stateCount == 0)
    }

    @Test("an account that no longer wishes it gives it back at its next registration") func changed() throws {
        let bench = try bench()
        _ = try subscribed(bench)
        try bench.agent.update(
            Account(
                id: id, address: SIPURI(user: "101", host: "192.0.2.9"), expires: 600, followsSeenAddress: false, keepAlive: 0))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(try bench.request(.subscribe).headers.expires == 0)
        live(bench, seconds: 4000, status: 200)
        #expect(subscribes(bench) == 2)
    }

    @Test("a challenge is answered, and the numbers go on") func challenged() throws {
        let bench = try bench()
        let challenge = (HeaderName.wwwAuthenticate, "Digest realm=\"example\", nonce=\"n\", algorithm=SHA-256, qop=\"auth\"")
        bench.answer(try bench.request(.subscribe), 401, [challenge])
        #expect(try bench.request(.subscribe).headers.contains(.authorization))
        #expect(try bench.request(.subscribe).headers.cSeq.number == 2)
        _ = try subscribed(bench, expires: 100)
        live(bench, seconds: 90, status: nil)
        let refresh = try bench.request(.subscribe)
        #expect(refresh.headers.cSeq.number == 3 && refresh.headers.to.tag == "peer")
        bench.answer(refresh, 401, [(challenge.0, challenge.1.replacing("\"n\"", with: "\"n2\""))])
        #expect(try bench.request(.subscribe).headers.cSeq.number == 4)
        bench.answer(try bench.request(.subscribe), 403)
        #expect(failures(bench).map(\.status) == [403])
    }
}
