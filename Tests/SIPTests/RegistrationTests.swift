import SIP
import Testing

/// RFC 3261 section 10, RFC 3327, 3608, 5626.
@Suite("Registrations") struct RegistrationTests {
    let id = AccountID("a")

    func bench(seed: UInt64 = 7, _ change: (inout Account) -> Void = { _ in }) throws -> Bench {
        try Bench(registering: id, seed: seed, change)
    }

    @Test("REGISTER is complete") func complete() throws {
        let register = try bench().request(.register)
        #expect(register.uri.text == "sip:192.0.2.9")
        #expect(register.headers.to.uri.text == "sip:101@192.0.2.9")
        #expect(register.headers.to.tag == nil)
        #expect(register.headers.from.tag != nil)
        #expect(register.headers.expires == 600)
        #expect(register.headers.contacts.first?.uri.text == "sip:101@192.0.2.1:5060")
        #expect(register.headers.lists("path", in: .supported))
    }

    @Test("is refreshed at a safe share of what was granted, with the same Call-ID", arguments: 1...20)
    func refresh(seed: Int) throws {
        let bench = try bench(seed: UInt64(seed))
        let first = try bench.request(.register)
        bench.answer(first, 200, [(.contact, "<sip:old@192.0.2.1>;expires=9, <sip:101@192.0.2.1:5060>;expires=300")])
        #expect(bench.registrations.first?.expires == 300)
        let start = bench.now
        bench.advance(300_000 * 0.86)
        let sent = try #require(bench.sent.dropFirst().first)
        let wait = sent.time.milliseconds(since: start)
        #expect(wait >= 209_000 && wait <= 256_000, "seed \(seed): \(wait) ms")
        let second = try #require(bench.requests(.register).dropFirst().first)
        #expect(second.headers.callID == first.headers.callID)
        #expect(second.headers.cSeq.number == first.headers.cSeq.number + 1)
        #expect(second.headers.from.tag == first.headers.from.tag)
    }

    @Test("423: at once again with the registrar's minimum; a nonsense minimum is not followed") func tooBrief() throws {
        let bench = try bench()
        bench.answer(try bench.request(.register), 423, [(.minExpires, "1800")])
        #expect(try bench.request(.register).headers.expires == 1800)
        bench.answer(try bench.request(.register), 423, [(.minExpires, "1800")])
        #expect(bench.requests.count == 2)
        #expect(bench.failures.first?.kind == .refused)
    }

    @Test("a silent registrar: retries with back-off, each wait longer, with jitter", arguments: 1...5)
    func silent(seed: Int) throws {
        let bench = try bench(seed: UInt64(seed))
        bench.advance(600_000)
        let waits = bench.failures.map(\.retryAfter)
        #expect(waits.count > 5)
        #expect(bench.failures.allSatisfy { $0.kind == .network })
        #expect(waits.allSatisfy { $0 >= 1 && $0 <= 30 }, "seed \(seed): \(waits)")
        #expect(waits.suffix(3).allSatisfy { $0 >= 15 })
    }

    @Test("Retry-After is obeyed") func retryAfter() throws {
        let bench = try bench()
        bench.answer(try bench.request(.register), 503, [(.retryAfter, "120")])
        let wait = try #require(bench.failures.first?.retryAfter)
        #expect(wait >= 120 && wait <= 132.1)
        #expect(bench.failures.first?.kind == .server)
        bench.advance(119_000)
        #expect(bench.requests.count == 1)
        bench.advance(14_000)
        #expect(bench.requests(.register).count >= 2)
    }

    @Test("a refusal is not repeated for minutes", arguments: [403, 404, 603]) func refusal(status: Int) throws {
        let bench = try bench()
        bench.answer(try bench.request(.register), status)
        #expect(bench.failures.first?.status == status)
        bench.advance(149_000)
        #expect(bench.requests.count == 1)
    }

    @Test("a challenge to a REGISTER that another one has followed is not answered") func lateChallenge() throws {
        let bench = try bench { $0.password = Password("secret-101") }
        let first = try bench.request(.register)
        try bench.agent.unregister(id, now: bench.now)
        bench.collect()
        let second = try bench.request(.register)
        bench.answer(first, 401, [(.wwwAuthenticate, "Digest realm=\"x\", nonce=\"1\", algorithm=MD5")])
        #expect(bench.requests(.register).count == 2 && bench.failures.isEmpty)
        bench.answer(second, 200)
        guard case .unregistered(id)? = bench.events.last else {
            Issue.record("not told: \(bench.events)")
            return
        }
    }

    @Test("maddr is where requests go")
    func multicastAddress() throws {
        let bench = Bench()
        _ = try bench.agent.invite(uri("sip:x@192.0.2.77:5070;maddr=192.0.2.88"), body: offer, now: bench.now)
        bench.collect()
        #expect(bench.sent.last?.destination.address == SignallingAddress(host: "192.0.2.88", port: 5070))
    }

    @Test("Service-Route leads later calls") func serviceRoute() throws {
        let bench = try bench()
        bench.answer(
            try bench.request(.register), 200, [(.expires, "600"), (.serviceRoute, "<sip:edge@192.0.2.77;lr>")])
        _ = try bench.agent.invite(uri("sip:x@example.com"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.invite).headers.addresses(.route).map(\.uri.text) == ["sip:edge@192.0.2.77;lr"])
        #expect(bench.sent.last?.destination.address.host == "192.0.2.77")
    }

    @Test("Service-Route goes behind the outbound proxy, which it may name itself", arguments: [true, false])
    func serviceRouteBehindProxy(namesProxy: Bool) throws {
        let bench = try bench { $0.outboundProxy = SIPURI(host: "192.0.2.66") }
        let proxy = "sip:192.0.2.66;lr", core = "<sip:core@192.0.2.77;lr>"
        bench.answer(
            try bench.request(.register), 200,
            [(.expires, "600"), (.serviceRoute, namesProxy ? "<\(proxy)>, \(core)" : core)])
        _ = try bench.agent.invite(uri("sip:x@example.com"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.invite).headers.addresses(.route).map(\.uri.text) == [proxy, "sip:core@192.0.2.77;lr"])
        #expect(bench.sent.last?.destination.address.host == "192.0.2.66")
    }

    @Test("an outbound proxy is the first route of REGISTER and calls") func outboundProxy() throws {
        let bench = try bench { $0.outboundProxy = SIPURI(host: "192.0.2.66") }
        #expect(bench.sent.last?.destination.address.host == "192.0.2.66")
        #expect(try bench.request(.register).headers.addresses(.route).first?.uri.sip?.isLooseRoute == true)
    }

    @Test("a registrar under another name than the domain's serves the domain's calls too") func registrar() throws {
        let bench = try bench {
            $0.address = SIPURI(user: "101", host: "yodel.test")
            $0.registrar = SIPURI(host: "192.0.2.55", port: 15060)
        }
        #expect(bench.sent.last?.destination.address == SignallingAddress(host: "192.0.2.55", port: 15060))
        #expect(try bench.request(.register).uri.text == "sip:yodel.test")
        _ = try bench.agent.invite(uri("sip:102@yodel.test"), account: id, body: offer, now: bench.now)
        _ = try bench.agent.invite(uri("tel:+49-30-1234"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(bench.sent.suffix(2).allSatisfy { $0.destination.address.port == 15060 })
        #expect(try bench.request(.invite).uri.text == "sip:+49301234@yodel.test;user=phone")
        #expect(bench.resolved.isEmpty)
    }

    @Test(
        "who is called at the account's own domain is called by the registrar's way: its transport, its port",
        arguments: [
            ("sip:101@a.test", "sip:a.test;transport=tls", "sip:102@a.test", "sip:a.test;transport=tls"),
            ("sip:101@a.test:5080", "sip:a.test:5080;transport=tcp", "sip:102@a.test:5080", "sip:a.test:5080;transport=tcp"),
            ("sip:101@a.test:5080", "", "tel:102", "sip:a.test:5080"),
            ("sips:101@a.test", "", "sip:102@a.test", "sips:a.test"),
            ("sip:101@a.test", "", "sip:102@a.test;transport=tcp", "sip:102@a.test;transport=tcp"),
            ("sip:101@a.test", "sip:a.test;transport=tls", "sip:102@a.test:5090", "sip:102@a.test:5090"),
            ("sip:101@a.test", "sip:a.test;transport=tls", "sip:102@example.com", "sip:102@example.com"),
        ])
    func ownDomain(address: String, registrar: String, target: String, place: String) throws {
        let bench = try bench {
            if let uri = URI(address)?.sip { $0.address = uri }
            $0.registrar = URI(registrar)?.sip
        }
        #expect(try bench.agent.firstServer(for: uri(target), account: id).text == place)
    }

    @Test("by TLS, a registrar that gives its numeric address in its calls is verified by the configured name")
    func numericRegistrar() throws {
        let bench = Bench()
        bench.peer = SignallingSource(
            transport: .tls, remote: SignallingAddress(host: "192.0.2.9", port: 5061),
            connection: SignallingConnectionID(number: 1))
        bench.names["pbx.example.com"] = [
            ServerHop(transport: .tls, address: bench.peer.remote, serverName: "pbx.example.com")
        ]
        bench.agent.add(
            Account(
                id: id, address: SIPURI(user: "101", host: "example.com"),
                registrar: try uri("sip:pbx.example.com;transport=tls").sip, followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        let contact = "<sip:101@192.0.2.1:5061;transport=tls>"
        #expect(try bench.request(.register).headers.contacts.map(\.text) == [contact])
        bench.answer(try bench.request(.register), 200, [(.contact, contact + ";expires=600")])
        let call = PeerCall()
        var invite = call.request(
            .invite, branch: "z9hG4bKfirst", body: offer, [(.recordRoute, "<sip:192.0.2.9:5061;transport=tls;lr>")])
        invite.uri = try uri("sip:101@192.0.2.1:5061;transport=tls")
        bench.feed(invite)
        let handle = try #require(bench.incoming.last?.0)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        var dialog = call
        dialog.toTag = try bench.response().headers.to.tag
        bench.feed(dialog.request(.ack))
        try bench.agent.hangUp(handle, now: bench.now)
        bench.collect()
        #expect(bench.requests.last?.method == .bye)
        let destination = try #require(bench.sent.last?.destination)
        #expect(destination.serverName == "pbx.example.com" && destination.connection == bench.peer.connection)
    }

    @Test("unregistering asks for 0 seconds and is told") func unregister() throws {
        let bench = try bench()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        try bench.agent.unregister(id, now: bench.now)
        bench.collect()
        #expect(try bench.request(.register).headers.expires == 0)
        bench.answer(try bench.request(.register), 200)
        guard case .unregistered(id)? = bench.events.last else {
            Issue.record("not told")
            return
        }
        bench.advance(2_000_000)
        #expect(bench.requests.count == 2)
    }

    @Test("a stream that is lost registers anew; a changed address at once") func flow() throws {
        let bench = try bench { $0.registrar = URI("sip:192.0.2.9;transport=tcp")?.sip }
        let destination = try #require(bench.sent.last?.destination)
        #expect(destination.transport == .tcp)
        #expect(try bench.request(.register).headers.contacts.first?.uri.text == "sip:101@192.0.2.1:5060;transport=tcp")
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        bench.agent.transportFailed(destination, now: bench.now)
        bench.collect()
        #expect(bench.failures.first?.kind == .network)
        bench.advance(2001)
        #expect(bench.requests.count == 2)
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        bench.agent.addressChanged(now: bench.now)
        bench.collect()
        #expect(bench.requests.count == 3)
    }

    @Test("an instance asks for an outbound flow, and 439 asks without") func outbound() throws {
        let bench = try bench { $0.instance = "urn:uuid:00000000-0000-1000-8000-000A95A0E128" }
        let contact = try #require(bench.request(.register).headers.contacts.first)
        #expect(contact.parameters["reg-id"] == "1")
        #expect(contact.parameters.unquoted("+sip.instance") == "<urn:uuid:00000000-0000-1000-8000-000A95A0E128>")
        bench.answer(try bench.request(.register), 439)
        #expect(try bench.request(.register).headers.contacts.first?.parameters.contains("reg-id") == false)
    }

    @Test("four accounts for a day: no growth of state") func day() throws {
        let bench = Bench()
        for number in 1...4 {
            bench.agent.add(
                Account(
                    id: AccountID("\(number)"), address: SIPURI(user: "\(number)", host: "192.0.2.9"),
                    followsSeenAddress: false))
            try bench.agent.register(AccountID("\(number)"), now: bench.now)
        }
        bench.collect()
        var most = 0
        for _ in 0..<(24 * 60) {
            for request in bench.requests { bench.answer(request, 200, [(.expires, "600")]) }
            bench.clear()
            bench.advance(60_000)
            most = max(most, bench.agent.stateCount)
        }
        #expect(most <= 8)
    }
}
