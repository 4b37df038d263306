import SIP
import Testing

/// RFC 3261 sections 8.1.1.8, 12.1.1, 12.2.1.1 and 26.2.2: what `sips:` asks of a dialog.
@Suite("Dialogs over sips:") struct SecureDialogTests {
    private let place = SignallingAddress(host: "192.0.2.9", port: 5061)

    /// A call to `target` by TLS that was answered so.
    private func answered(
        _ fields: [(HeaderName, String)], target: String = "sips:a@pbx.example.com"
    ) throws -> (Bench, CallHandle) {
        let bench = Bench()
        bench.names["pbx.example.com"] = [ServerHop(transport: .tls, address: place, serverName: "pbx.example.com")]
        let call = try bench.agent.invite(uri(target), body: offer, now: bench.now)
        bench.collect()
        let allow = (HeaderName.allow, "INVITE, ACK, BYE, UPDATE, REFER")
        bench.answer(try bench.request(.invite), 200, fields + [allow], body: answerBody)
        #expect(bench.answered.count == 1)
        return (bench, call)
    }

    @Test(
        "stay on TLS where the callee's Contact, or a proxy's Record-Route, only says sip:",
        arguments: [
            ("<sip:peer@192.0.2.9:5061>", nil), ("<sip:peer@192.0.2.9>", nil), ("<sip:peer@192.0.2.9;transport=tls>", nil),
            ("<sips:peer@192.0.2.8>", "<sip:192.0.2.9:5061;lr>"), ("<sip:peer@192.0.2.8>", "<sips:192.0.2.9;lr>"),
        ] as [(String, String?)])
    func callee(contact: String, route: String?) throws {
        var fields = [(HeaderName.contact, contact)]
        if let route { fields.append((.recordRoute, route)) }
        let (bench, call) = try answered(fields)
        try bench.agent.transfer(call, to: uri("sip:other@example.com"), now: bench.now)
        bench.collect()
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(bench.requests.map(\.method) == [.invite, .ack, .refer, .bye])
        for destination in bench.sent.map(\.destination) {
            #expect(destination.transport == .tls && destination.address == place)
            #expect(destination.serverName == "pbx.example.com")
        }
        #expect(try bench.request(.bye).uri.text == contact.dropFirst().dropLast())
        #expect(try bench.request(.refer).headers.contacts.first?.uri.isSecure == true)
    }

    @Test("send nothing to a callee that wants datagrams, or TCP", arguments: ["udp", "tcp"]) func plain(transport: String)
        throws
    {
        let (bench, call) = try answered([(.contact, "<sip:peer@192.0.2.9:5060;transport=\(transport)>")])
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(bench.requests.map(\.method) == [.invite])
    }

    @Test("are none where nobody has said sips:, by TLS as well") func noneOfThem() throws {
        let (bench, call) = try answered([(.contact, "<sip:peer@192.0.2.9:5060>")], target: "sip:a@pbx.example.com")
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(bench.sent.map(\.destination.transport) == [.tls, .udp, .udp])
        #expect(try bench.request(.invite).headers.contacts.first?.uri.isSecure == false)
    }

    private let keys = Body.sdp(offer.bytes + wire("a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0\n"))

    @Test(
        "keys in SDP go by TLS to where the callee was met, whatever its Contact says; nothing else does",
        arguments: ["<sip:peer@192.0.2.9:5060>", "<sip:peer@192.0.2.8>", "<sip:peer@192.0.2.9;transport=tcp>"])
    func keysToCallee(contact: String) throws {
        let (bench, call) = try answered([(.contact, contact)], target: "sip:a@pbx.example.com")
        for (body, isByTLS) in [(keys, true), (offer, false)] {
            bench.clear()
            try bench.agent.modify(call, body: body, now: bench.now)
            bench.collect()
            let destination = try #require(bench.sent.last?.destination)
            #expect((destination.transport == .tls) == isByTLS)
            if isByTLS { #expect(destination.address == place && destination.serverName == "pbx.example.com") }
            #expect(try "<\(bench.request(.invite).uri.text)>" == contact)
            bench.answer(try bench.request(.invite), 488)
        }
    }

    @Test("keys in SDP go by TLS to a caller that came by it; whether the answer to its own change does is told")
    func keysToCaller() throws {
        let bench = Bench()
        bench.peer = SignallingSource(
            transport: .tls, remote: SignallingAddress(host: "192.0.2.9", port: 40_000),
            connection: SignallingConnectionID(number: 1))
        var (handle, call) = try bench.establishedIncoming()
        try bench.agent.modify(handle, body: keys, now: bench.now)
        bench.collect()
        let destination = try #require(bench.sent.last?.destination)
        #expect(destination.transport == .tls && destination.connection == bench.peer.connection)
        bench.answer(try bench.request(.invite), 488)
        #expect(!bench.agent.answersByTLS(handle))
        bench.feed(call.request(.invite, number: 2, body: keys))
        #expect(bench.agent.answersByTLS(handle))
        try bench.agent.reject(handle, status: 488, now: bench.now)
        bench.collect()
        let plain = SignallingSource(transport: .udp, remote: SignallingAddress(host: "192.0.2.9", port: 5060))
        bench.feed(call.request(.invite, number: 3, body: keys).bytes, from: plain)
        #expect(bench.codes.last == 100 && !bench.agent.answersByTLS(handle))
    }

    @Test("keys in SDP that find no TLS go nowhere, and the change fails") func keysWithoutTLS() throws {
        let bench = Bench()
        let call = try bench.establishedOutgoing()
        try bench.agent.modify(call, body: keys, now: bench.now)
        bench.collect()
        #expect(bench.requests.isEmpty)
        guard case .modificationFailed(call, status: 503, let reason)? = bench.events.last else {
            Issue.record("not told: \(bench.events)")
            return
        }
        #expect(reason.contains("TLS"))
    }

    @Test("a request with a sips: route has a sips: Contact") func route() throws {
        let bench = Bench()
        let id = AccountID("a")
        bench.agent.add(
            Account(
                id: id, address: SIPURI(user: "101", host: "example.com"),
                outboundProxy: SIPURI(isSecure: true, host: "192.0.2.66")))
        _ = try bench.agent.invite(uri("sip:102@example.com"), account: id, body: offer, now: bench.now)
        bench.collect()
        let invite = try bench.request(.invite)
        #expect(!invite.uri.isSecure && invite.headers.contacts.first?.uri.isSecure == true)
        #expect(bench.sent.map(\.destination.transport) == [.tls])
    }

    @Test(
        "our Contact is sips: where the caller's request URI, top Record-Route, or Contact without one is, and came by TLS",
        arguments: [
            ("sips:me@192.0.2.1", nil, "sips:peer@192.0.2.9", true), ("sip:me@192.0.2.1", nil, "sips:peer@192.0.2.9", true),
            ("sip:me@192.0.2.1", "<sips:192.0.2.7;lr>, <sip:192.0.2.6;lr>", "sip:peer@192.0.2.9", true),
            ("sip:me@192.0.2.1", "<sip:192.0.2.7;transport=tls;lr>", "sips:peer@192.0.2.9", false),
            ("sip:me@192.0.2.1", nil, "sip:peer@192.0.2.9", false),
        ] as [(String, String?, String, Bool)])
    func caller(target: String, route: String?, contact: String, isSecure: Bool) throws {
        for transport in [SignallingProtocol.tls, .udp] {
            let bench = Bench()
            bench.peer = SignallingSource(
                transport: transport, remote: place, connection: transport == .tls ? SignallingConnectionID(number: 1) : nil)
            var call = PeerCall()
            var invite = call.request(.invite, body: offer, route.map { [(HeaderName.recordRoute, $0)] } ?? [])
            invite.uri = try uri(target)
            invite.headers.set(.contact, "<\(contact)>")
            bench.feed(invite)
            let handle = try #require(bench.incoming.last?.0)
            try bench.agent.answer(handle, body: answerBody, now: bench.now)
            bench.collect()
            let ours = try #require(bench.response().headers.contacts.first)
            let isPlain = transport == .udp && !target.hasPrefix("sips:")
            #expect(ours.uri.isSecure == (isSecure && !isPlain))
        }
    }
}
