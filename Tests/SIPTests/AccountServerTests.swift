import SIP
import Testing

/// Whose word counts for an account: calls, names and digests are the business of its own servers.
@Suite("Servers of an account") struct AccountServerTests {
    private let id = AccountID("a")

    private func bench(_ change: (inout Account) -> Void = { _ in }) throws -> Bench {
        try Bench(registering: id, change)
    }

    @Test(
        "a registrar's numeric address is one address, however it is written",
        arguments: [("[2001:DB8:0:0:0:0:0:9]", "2001:db8::9"), ("[::ffff:192.0.2.55]", "192.0.2.55")])
    func addressForm(written: String, form: String) throws {
        let bench = try bench { $0.registrar = URI("sip:\(written)")?.sip }
        #expect(bench.sent.last?.destination.address.host == form)
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(bench.agent.isAccountServer(form))
    }

    @Test("whomever the registrar's name leads to besides is one of the account's servers, once it is registered")
    func otherServers() throws {
        let bench = Bench()
        let servers = (5...7).map { SignallingAddress(host: "192.0.2.\($0)", port: 5060) }
        bench.names["example.com"] = servers.map { ServerHop(transport: .udp, address: $0) }
        bench.agent.add(Account(id: id, address: SIPURI(user: "101", host: "example.com"), followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        #expect(!bench.agent.isAccountServer("192.0.2.6"))
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(servers.allSatisfy { bench.agent.isAccountServer($0.host) })
        #expect(!bench.agent.isAccountServer("192.0.2.8"))
    }

    @Test("a call from the registrar's address is the account's, with the name it vouches for") func incoming() throws {
        let bench = try bench()
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        var call = PeerCall()
        call.extra = [(.pAssertedIdentity, "\"Boss\" <sip:boss@example.com>")]
        var invite = call.request(.invite, body: offer)
        invite.uri = try uri("sip:101@192.0.2.1:5060")
        bench.feed(invite)
        #expect(bench.incoming.last?.1.account == id)
        #expect(bench.incoming.last?.1.isFromAccountServer == true)
        #expect(bench.incoming.last?.1.assertedIdentity?.displayName == "Boss")
        call.callID = "second"
        var stranger = call.request(.invite, body: offer)
        stranger.uri = try uri("sip:101@192.0.2.1:5060")
        bench.feed(
            stranger.bytes,
            from: SignallingSource(transport: .udp, remote: SignallingAddress(host: "203.0.113.5", port: 5060)))
        #expect(bench.incoming.last?.1.isFromAccountServer == false)
        #expect(bench.incoming.last?.1.assertedIdentity == nil)
    }

    @Test(
        "where the account is registered by a stream, a datagram with its server's address is a stranger's",
        arguments: [true, false])
    func forgedAddress(isRegistered: Bool) throws {
        let bench = Bench()
        bench.peer = SignallingSource(
            transport: .tcp, remote: SignallingAddress(host: "192.0.2.9", port: 5060),
            connection: SignallingConnectionID(number: 1))
        bench.agent.add(
            Account(
                id: id, address: SIPURI(user: "101", host: "192.0.2.9"), registrar: URI("sip:192.0.2.9;transport=TCP")?.sip,
                followsSeenAddress: false))
        try bench.agent.register(id, now: bench.now)
        bench.collect()
        bench.answer(try bench.request(.register), isRegistered ? 200 : 500, [(.expires, "600")])
        var call = PeerCall()
        for (transport, isServer) in [(SignallingProtocol.udp, false), (.tcp, true)] {
            call.callID = transport.rawValue
            var invite = call.request(.invite, branch: "z9hG4bK\(transport)", body: offer)
            invite.uri = try uri("sip:101@192.0.2.1:5060")
            let source =
                transport == .tcp
                ? bench.peer : SignallingSource(transport: .udp, remote: SignallingAddress(host: "192.0.2.9", port: 5060))
            bench.feed(invite.bytes, from: source)
            #expect(bench.incoming.last?.1.isFromAccountServer == isServer)
        }
        #expect(bench.incoming.count == 2)
    }

    @Test("the servers of a former provider are strangers once the account has another one", arguments: [true, false])
    func formerProvider(isOther: Bool) throws {
        let bench = try bench()
        bench.answer(try bench.request(.register), 200, [(.expires, "600"), (.serviceRoute, "<sip:192.0.2.9;lr>")])
        try bench.agent.update(
            Account(
                id: id, address: SIPURI(user: "101", host: isOther ? "192.0.2.44" : "192.0.2.9"), displayName: "Other",
                followsSeenAddress: false))
        #expect(bench.agent.isAccountServer("192.0.2.9") == !isOther)
        _ = try bench.agent.invite(uri("sip:102@198.51.100.7"), account: id, body: offer, now: bench.now)
        bench.collect()
        #expect(try bench.request(.invite).headers.contains(.route) == !isOther)
    }

    @Test("what a registrar sends to another number is its account's too; of two accounts there the first one's by name")
    func otherNumber() throws {
        let bench = try bench()
        bench.agent.add(
            Account(id: AccountID("b"), address: SIPURI(user: "102", host: "192.0.2.9"), followsSeenAddress: false))
        try bench.agent.register(AccountID("b"), now: bench.now)
        bench.collect()
        for request in bench.requests(.register) { bench.answer(request, 200, [(.expires, "600")]) }
        let summary = Body(contentType: "application/simple-message-summary", bytes: wire("Messages-Waiting: yes\n"))
        func notified() -> [String] {
            bench.events.compactMap { if case .notified(let id, event: _, _) = $0 { id.name } else { nil } }
        }
        for (user, account) in [("5551234", "a"), ("102", "b"), ("101", "a")] {
            let call = PeerCall(callID: "to-\(user)")
            for method in [SIP.Method.invite, .notify] {
                let fields = method == .notify ? [(HeaderName.event, "message-summary")] : []
                var request = call.request(
                    method, branch: "z9hG4bK\(user)\(method.name)", body: method == .notify ? summary : offer, fields)
                request.uri = try uri("sip:\(user)@192.0.2.1:5060")
                request.headers.set(.to, "<sip:\(user)@192.0.2.1>")
                bench.feed(request)
            }
            #expect(bench.incoming.last?.1.account?.name == account && notified().last == account)
            #expect(bench.incoming.last?.1.isFromAccountServer == true)
        }
        #expect(bench.incoming.count == 3 && notified().count == 3)
    }

    @Test("what comes from a server that has refused an account's registration, for another number, is nobody's")
    func otherNumberOfNobody() throws {
        let bench = try bench()
        bench.answer(try #require(bench.requests(.register).last), 405)
        var request = PeerCall(callID: "other").request(.invite, branch: "z9hG4bKother", body: offer)
        request.uri = try uri("sip:5551234@192.0.2.1:5060")
        request.headers.set(.to, "<sip:5551234@192.0.2.1>")
        bench.feed(request)
        #expect(bench.incoming.count == 1 && bench.incoming.last?.1.account == nil)
    }
}
