import Signalling
import Synchronization
import TestPrograms
import Testing

/// 3xx answers to calls of ours, over real sockets: somebody who answers by datagrams, and phones that it names.
@Suite("Redirections") struct RedirectionTests {
    private func caller(_ redirections: Int, at port: UInt16, _ callees: [String]) throws -> Phone {
        try Phone {
            var account = AccountSettings(name: "a", uri: "sip:101@127.0.0.1:\(port)")
            (account.probe, account.redirections, account.callees) = (0, redirections, callees)
            $0.accounts = [account]
        }
    }

    /// Calls somebody who names `contacts` in turn, the last one for ever.
    private func call(
        _ contacts: [String], redirections: Int, callees: [String] = [], status: String = "302 Moved",
        before: (Phone, Redirector) throws -> Void = { _, _ in }, _ body: (Phone, Redirector) async throws -> Void
    ) async throws {
        let redirector = try Redirector(contacts, status)
        let serving = Task { await redirector.serve() }
        let phone = try caller(redirections, at: redirector.port, callees)
        do {
            try before(phone, redirector)
            _ = phone.signalling.invite(
                OutgoingCall(
                    target: "sip:somebody@127.0.0.1:\(redirector.port)", account: "a", media: LocalPorts(port: 40_000)))
            try await body(phone, redirector)
        } catch {
            Issue.record(error)
        }
        await phone.close()
        serving.cancel()
        await serving.value
    }

    @Test("who allows none is told whom the other side names") func told() async throws {
        try await call(["sip:other@127.0.0.1:9"], redirections: 0) { phone, _ in
            let end = try await phone.ended()
            #expect(end.reason == .redirected && end.sipCode == 302)
            #expect(end.contacts == ["sip:other@127.0.0.1:9"])
        }
    }

    @Test("who allows one calls whom the other side names, and tells so") func followed() async throws {
        let other = try Phone()
        try await call([other.uri()], redirections: 1) { phone, _ in
            let (call, facts) = try await other.incoming()
            #expect(facts.to.hasPrefix("sip:phone@127.0.0.1"))
            other.signalling.prepare(call, media: LocalPorts(port: 41_000))
            other.signalling.answer(call)
            try await phone.answered()
            let warning = try await phone.wait("a warning") { if case .warning(_, let text) = $0 { text } else { nil } }
            #expect(warning.contains("302"))
        }
        await other.close()
    }

    @Test("no more are followed than are allowed", arguments: [1, 3]) func limit(redirections: Int) async throws {
        try await call((0..<10).map { "sip:x\($0)@PLACE" }, redirections: redirections) { phone, redirector in
            let end = try await phone.ended()
            #expect(end.reason == .redirected)
            #expect(redirector.invites == redirections + 1)
        }
    }

    @Test("a loop is not followed") func loop() async throws {
        try await call(["sip:x@PLACE"], redirections: 10) { phone, redirector in
            let end = try await phone.ended()
            #expect(end.reason == .redirected)
            #expect(redirector.invites == 2)
        }
    }

    @Test("who may not be called is not followed to", arguments: [(["somebody@*"], 1), (["*@127.0.0.1"], 3), (["some*"], 1)])
    func callees(patterns: [String], invites: Int) async throws {
        try await call(["sip:premium@PLACE", "sip:other@PLACE"], redirections: 2, callees: patterns) { phone, redirector in
            let end = try await phone.ended()
            #expect(end.reason == .redirected)
            #expect(redirector.invites == invites)
        }
    }

    @Test(
        "who names a proxy, or another service, names nobody to call", arguments: ["305 Use Proxy", "380 Alternative Service"])
    func otherKinds(status: String) async throws {
        try await call(["sip:x@PLACE"], redirections: 10, status: status) { phone, redirector in
            let end = try await phone.ended()
            #expect(end.reason == .redirected)
            #expect(redirector.invites == 1)
        }
    }

    @Test("of several the most wanted one is called") func preference() async throws {
        let contacts = "sip:a@PLACE>;q=0.2, <sip:b@PLACE>;q=0.9, <sip:c@PLACE>;q=0.9, <sip:d@127.0.0.1:9"
        try await call([contacts], redirections: 1) { phone, _ in
            let warning = try await phone.wait("a warning") { if case .warning(_, let text) = $0 { text } else { nil } }
            #expect(warning.contains("sip:d@"), "what says no q is wanted most: \(warning)")
        }
    }

    @Test(
        "who is not reached, or has no address, is followed by the next one that was named with him, where that is allowed",
        arguments: [1, 2], ["127.0.0.1:9;transport=tcp", "[2001:db8::1]"])
    func alternatives(redirections: Int, place: String) async throws {
        let other = try Phone()
        let contacts = "sip:x@\(place)>, <\(other.uri())"
        try await call([contacts], redirections: redirections) { phone, redirector in
            guard redirections > 1 else {
                let end = try await phone.ended()
                #expect(end.reason == .network && redirector.invites == 1)
                return
            }
            let (call, _) = try await other.incoming()
            other.signalling.prepare(call, media: LocalPorts(port: 41_000))
            other.signalling.answer(call)
            try await phone.answered()
        }
        await other.close()
    }

    @Test("what an account allows since it was changed counts") func changed() async throws {
        func change(_ phone: Phone, _ redirector: Redirector) throws {
            var account = AccountSettings(name: "a", uri: "sip:101@127.0.0.1:\(redirector.port)")
            (account.probe, account.redirections) = (0, 0)
            try phone.signalling.change(accounts: [account])
        }
        try await call(["sip:x@PLACE"], redirections: 10, before: change) { phone, redirector in
            let end = try await phone.ended()
            #expect(end.reason == .redirected)
            #expect(redirector.invites == 1)
        }
    }

    @Test("another scheme is never followed", arguments: ["sips:x@127.0.0.1:9", "tel:+1900123", "http://127.0.0.1/"])
    func scheme(contact: String) async throws {
        try await call([contact], redirections: 10) { phone, redirector in
            let end = try await phone.ended()
            #expect(end.reason == .redirected)
            #expect(redirector.invites == 1)
        }
    }
}

/// Answers every INVITE by naming somebody else; `PLACE` stands for itself.
private final class Redirector: Sendable {
    private let server: DatagramServer
    private let contacts: [String]
    private let status: String
    /// The number of each INVITE by its Via: one that is repeated, because a busy machine answers late, is no other.
    private let numbers = Mutex<[String: Int]>([:])

    init(_ contacts: [String], _ status: String) throws {
        server = try DatagramServer()
        (self.contacts, self.status) = (contacts, status)
    }

    var port: UInt16 { server.port }
    var invites: Int { numbers.withLock { $0.count } }

    func serve() async {
        await server.serve { octets, _ in
            let text = String(decoding: octets, as: UTF8.self)
            guard text.hasPrefix("INVITE ") else { return nil }
            let via = text.split(separator: "\r\n").first { $0.hasPrefix("Via:") }.map(String.init) ?? ""
            let number = self.numbers.withLock { numbers in
                let number = numbers[via] ?? numbers.count
                numbers[via] = number
                return number
            }
            let contact = self.contacts[min(number, self.contacts.count - 1)].replacing("PLACE", with: "127.0.0.1:\(self.port)")
            return DatagramServer.reply(to: text, self.status, ["Contact: <\(contact)>"])
        }
    }
}
