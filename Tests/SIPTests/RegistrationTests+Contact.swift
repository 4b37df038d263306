import SIP
import Testing

/// Where the registrar is told that we are: RFC 3261 section 10, RFC 5626.
extension RegistrationTests {
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
}
