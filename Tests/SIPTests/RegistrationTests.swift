import SIP
import Testing

/// RFC 3261 section 10, RFC 3327, 3608, 5626.
@Suite("Registrations") struct RegistrationTests {
    private let id = AccountID("a")

    private func bench(seed: UInt64 = 7, _ change: (inout Account) -> Void = { _ in }) throws -> Bench {
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

    @Test("the address that the registrar sees becomes the Contact, and the old binding goes") func seenAddress() throws {
        let bench = try bench { $0.followsSeenAddress = true }
        let first = try bench.request(.register)
        var seen = first
        seen.headers.set(
            .via, try #require(first.headers.text(.via)).replacing(";rport", with: ";rport=4444;received=198.51.100.1"))
        bench.answer(seen, 200, [(.expires, "600")])
        #expect(bench.registrations.isEmpty)
        let second = try bench.request(.register)
        let contacts = second.headers.contacts
        #expect(contacts.map(\.uri.text) == ["sip:101@198.51.100.1:4444", "sip:101@192.0.2.1:5060"])
        #expect(contacts.last?.parameters["expires"] == "0")
        var again = second
        again.headers.set(
            .via, try #require(second.headers.text(.via)).replacing(";rport", with: ";rport=4444;received=198.51.100.1"))
        bench.answer(again, 200, [(.expires, "600")])
        #expect(bench.registrations.first?.seenAddress == SignallingAddress(host: "198.51.100.1", port: 4444))
        #expect(bench.requests.count == 2)
        _ = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.invite).headers.contacts.first?.uri.text == "sip:101@198.51.100.1:4444")
        // An account that stays there is still seen so.
        try bench.agent.update(Account(id: id, address: SIPURI(user: "101", host: "192.0.2.9"), expires: 300))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        #expect(try bench.request(.register).headers.contacts.map(\.uri.text) == ["sip:101@198.51.100.1:4444"])
    }

    /// The request as the registrar answers it that sees it come from `host`.
    private func seen(_ request: Request, at host: String = "198.51.100.1") throws -> Request {
        var copy = request
        let via = try #require(request.headers.text(.via))
        copy.headers.set(.via, via.replacing(";rport", with: ";rport=4444;received=\(host)"))
        return copy
    }

    @Test(
        "a former binding is taken back until a REGISTER is confirmed, also where that is challenged, or gets lost",
        arguments: [true, false])
    func formerBinding(isChallenged: Bool) throws {
        let bench = try bench {
            $0.followsSeenAddress = true
            $0.password = Password("secret-101")
        }
        bench.answer(try seen(bench.request(.register)), 200, [(.expires, "600")])
        let second = try bench.request(.register)
        let contacts = ["<sip:101@198.51.100.1:4444>", "<sip:101@192.0.2.1:5060>;expires=0"]
        #expect(second.headers.contacts.map(\.text) == contacts)
        if isChallenged {
            bench.answer(second, 401, [(.wwwAuthenticate, "Digest realm=\"x\", nonce=\"1\", algorithm=MD5")])
        } else {
            bench.advance(40_000)
        }
        let third = try bench.request(.register)
        #expect(third.headers.cSeq.number == second.headers.cSeq.number + 1)
        #expect(third.headers.contacts.map(\.text) == contacts)
        bench.answer(try seen(third), 200, [(.expires, "600")])
        #expect(bench.registrations.count == 1)
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        #expect(try bench.request(.register).headers.contacts.map(\.text) == Array(contacts.prefix(1)))
    }

    @Test(
        "after several changes of network each address that the registrar may still hold is taken back",
        arguments: [true, false])
    func severalChanges(isUnregistered: Bool) throws {
        let bench = Bench()
        func move(to host: String) {
            let local = SignallingAddress(host: host, port: 5060)
            bench.names["example.com"] = [ServerHop(transport: .udp, address: bench.peer.remote, local: local)]
            bench.agent.addressChanged(now: bench.now)
            bench.collect()
        }
        bench.agent.add(Account(id: id, address: SIPURI(user: "101", host: "example.com"), followsSeenAddress: false))
        move(to: "192.0.2.31")
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        // It may have come, whatever becomes of its answer.
        move(to: "192.0.2.32")
        move(to: "192.0.2.33")
        if isUnregistered {
            try bench.agent.unregister(id, now: bench.now)
            bench.collect()
        }
        let last = try bench.request(.register)
        #expect(last.headers.expires == (isUnregistered ? 0 : 600))
        #expect(
            last.headers.contacts.map(\.text) == [
                "<sip:101@192.0.2.33:5060>", "<sip:101@192.0.2.31:5060>;expires=0", "<sip:101@192.0.2.32:5060>;expires=0",
            ])
        // And back to the first one.
        guard !isUnregistered else { return }
        move(to: "192.0.2.31")
        #expect(
            try bench.request(.register).headers.contacts.map(\.uri.sip?.host) == ["192.0.2.31", "192.0.2.32", "192.0.2.33"])
    }

    @Test(
        "behind a NAT, the account's servers and who is outside hear the address that is seen, who is inside our own",
        arguments: [
            ("192.0.2.9", "192.0.2.9", true), ("192.0.2.9", "203.0.113.5", true), ("192.0.2.9", "192.168.1.77", false),
            ("10.0.0.9", "10.0.0.9", true),
        ])
    func contactByPeer(registrar: String, peer: String, isOutside: Bool) throws {
        let bench = Bench { $0.localAddresses[.udp] = SignallingAddress(host: "192.168.1.10", port: 5060) }
        bench.peer.remote = SignallingAddress(host: registrar, port: 5060)
        bench.agent.add(Account(id: id, address: SIPURI(user: "101", host: registrar)))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        for _ in 0..<2 { bench.answer(try seen(bench.request(.register)), 200, [(.expires, "600")]) }
        #expect(bench.registrations.count == 1)
        bench.peer.remote = SignallingAddress(host: peer, port: 5060)
        let contact = isOutside ? "sip:101@198.51.100.1:4444" : "sip:101@192.168.1.10:5060"
        var invite = PeerCall().request(.invite, branch: "z9hG4bKfirst", body: offer)
        invite.uri = try uri("sip:101@192.168.1.10")
        bench.feed(invite)
        let (handle, incoming) = try #require(bench.incoming.last)
        #expect(incoming.account == id)
        try bench.agent.ring(handle, now: bench.now)
        try bench.agent.answer(handle, body: answerBody, now: bench.now)
        bench.collect()
        #expect(bench.codes == [100, 180, 200])
        #expect(bench.responses.suffix(2).allSatisfy { $0.headers.contacts.map(\.uri.text) == [contact] })
        _ = try bench.agent.invite(uri("sip:102@\(peer)"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.invite).headers.contacts.map(\.uri.text) == [contact])
    }

    @Test("the address that the registrar sees is followed after failures too") func seenAfterFailures() throws {
        let bench = try bench { $0.followsSeenAddress = true }
        for _ in 1...3 {
            let sent = bench.requests(.register).count
            bench.answer(try bench.request(.register), 503)
            for _ in 0..<60 where bench.requests(.register).count == sent { bench.advance(1000) }
        }
        #expect(bench.failures.count == 3)
        var seen = try bench.request(.register)
        let via = try #require(seen.headers.text(.via))
        seen.headers.set(.via, via.replacing(";rport", with: ";rport=4444;received=198.51.100.1"))
        bench.answer(seen, 200, [(.expires, "600")])
        #expect(bench.registrations.isEmpty)
        #expect(try bench.request(.register).headers.contacts.first?.uri.text == "sip:101@198.51.100.1:4444")
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

    @Test("where nothing listens for TLS, the Contact is the registration's own stream, and calls show it too")
    func streamAsContact() throws {
        let bench = Bench { $0.localAddresses[.tls] = nil }
        bench.peer = SignallingSource(
            transport: .tls, remote: SignallingAddress(host: "192.0.2.9", port: 5061),
            connection: SignallingConnectionID(number: 1))
        let address = try #require(try uri("sips:101@example.com").sip)
        bench.agent.add(Account(id: id, address: address, password: Password("secret")))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        for _ in 0..<2 {
            var seen = try bench.request(.register)
            let via = try #require(seen.headers.text(.via))
            seen.headers.set(.via, via.replacing(";rport", with: ";rport=40404;received=192.0.2.1"))
            bench.answer(seen, 200, [(.expires, "600")])
        }
        #expect(bench.requests(.register).count == 2)
        #expect(bench.registrations.count == 1)
        _ = try bench.agent.invite(uri("sips:102@example.com"), account: id, body: offer, now: bench.now)
        bench.collect()
        let contact = try bench.request(.invite).headers.contacts.first?.uri.sip
        #expect(contact?.port == 40_404)
    }

    @Test("what is granted counts, whatever address a server in between has written", arguments: ["4", "\"4\""])
    func rewrittenContact(expires: String) throws {
        let bench = try bench()
        bench.answer(
            try bench.request(.register), 200,
            [(.expires, "600"), (.contact, "<sip:101@203.0.113.5:40000>;expires=\(expires)")])
        #expect(bench.registrations.last?.expires == 4)
    }

    @Test("of several Contacts none of which is known as ours, the least that is granted counts")
    func severalContacts() throws {
        let bench = try bench()
        let contacts = "<sip:101@203.0.113.5:40000>;expires=20, <sip:101@203.0.113.6:40000>;expires=17"
        bench.answer(try bench.request(.register), 200, [(.contact, contacts)])
        #expect(bench.registrations.last?.expires == 17)
    }

    @Test("of several Contacts, ours is known by its instance, whatever address a server in between has written")
    func instanceContact() throws {
        let instance = "urn:uuid:00000000-0000-1000-8000-000A95A0E128"
        let bench = try bench { $0.instance = instance }
        let own = "<sip:101@203.0.113.5:40000>;+sip.instance=\"<\(instance)>\";reg-id=1;expires=20"
        bench.answer(
            try bench.request(.register), 200,
            [(.expires, "600"), (.contact, "<sip:101@203.0.113.6:40000>;expires=17, \(own)")])
        #expect(bench.registrations.last?.expires == 20)
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
