import Crypto
import CryptoExtras
import SIP
import Testing

/// RFC 7616 and 8760.
@Suite("Digest authentication") struct DigestTests {
    private static let realm = "yodel.test"

    private func bench(realm: String? = nil, password: String = "secret-101") -> Bench {
        let bench = Bench()
        bench.agent.add(
            Account(
                id: AccountID("a"), address: SIPURI(user: "101", host: "192.0.2.9"), password: Password(password),
                realm: realm, followsSeenAddress: false))
        return bench
    }

    private func register(_ bench: Bench) throws -> Request {
        try bench.agent.register(AccountID("a"), now: bench.now)
        bench.collect()
        return try bench.request(.register)
    }

    private func challenge(
        _ algorithm: String?, nonce: String = "n1", qop: String? = "auth", realm: String = realm, more: String = ""
    ) -> (HeaderName, String) {
        var text = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\""
        if let algorithm { text += ", algorithm=\(algorithm)" }
        if let qop { text += ", qop=\"\(qop)\"" }
        return (.wwwAuthenticate, text + more)
    }

    private func parameters(_ request: Request, _ name: HeaderName = .authorization) throws -> [String: String] {
        let text = try #require(request.headers.text(name))
        #expect(text.hasPrefix("Digest "))
        var found: [String: String] = [:]
        for part in text.dropFirst(7).split(separator: ", ") {
            let pair = part.split(separator: "=", maxSplits: 1)
            found[String(pair[0])] = String(pair[1].filter { $0 != "\"" })
        }
        return found
    }

    /// The formula of RFC 7616 section 3.4.1, written a second time.
    private func expected(
        _ values: [String: String], method: String, body: [UInt8], hash: (String) -> String
    ) throws -> String {
        func value(_ name: String) throws -> String { try #require(values[name]) }
        var first = hash("101:\(Self.realm):secret-101")
        if try value("algorithm").hasSuffix("-sess") { first = hash("\(first):\(try value("nonce")):\(try value("cnonce"))") }
        var second = "\(method):\(try value("uri"))"
        if values["qop"] == "auth-int" { second += ":" + hash(String(decoding: body, as: UTF8.self)) }
        guard let qop = values["qop"] else { return hash("\(first):\(try value("nonce")):\(hash(second))") }
        return hash(
            "\(first):\(try value("nonce")):\(try value("nc")):\(try value("cnonce")):\(qop):\(hash(second))")
    }

    private static func text(_ digest: some Sequence<UInt8>) -> String {
        digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    @Test(
        "each algorithm and protection",
        arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256"],
        ["auth", "auth-int", "auth-int,auth", nil] as [String?])
    func formula(algorithm: String, qop: String?) throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge(algorithm, qop: qop, more: ", opaque=\"op\"")])
        let request = try bench.request(.register)
        let values = try parameters(request)
        let hash: (String) -> String =
            algorithm.hasPrefix("MD5")
            ? { Self.text(Insecure.MD5.hash(data: Array($0.utf8))) }
            : algorithm.hasPrefix("SHA-512")
                ? { Self.text(SHA512256.hash(data: Array($0.utf8))) }
                : { Self.text(SHA256.hash(data: Array($0.utf8))) }
        #expect(values["response"] == (try expected(values, method: "REGISTER", body: request.body, hash: hash)))
        #expect(values["opaque"] == "op")
        #expect(values["qop"] == (qop == "auth-int" ? "auth-int" : qop == nil ? nil : "auth"))
        #expect(values["nc"] == (qop == nil ? nil : "00000001"))
        #expect(request.headers.cSeq.number == (try #require(bench.requests.first)).headers.cSeq.number + 1)
        #expect(request.headers.callID == bench.requests.first?.headers.callID)
    }

    /// RFC 1321 appendix and FIPS 180-4: the hashes themselves, so that the formula above cannot hide a wrong one.
    @Test func knownHashes() {
        #expect(Self.text(Insecure.MD5.hash(data: Array("abc".utf8))) == "900150983cd24fb0d6963f7d28e17f72")
        #expect(
            Self.text(SHA512256.hash(data: Array("abc".utf8)))
                == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    }

    @Test("several challenges: never the weak one when a better is offered, wherever it stands") func strongest() throws {
        let bench = bench()
        bench.answer(
            try register(bench), 401, [challenge("MD5"), challenge("FOO-1"), challenge("SHA-256"), challenge("SHA-512-256")])
        #expect(try parameters(bench.request(.register))["algorithm"] == "SHA-256")
        #expect(try bench.request(.register).headers.all(.authorization).count == 1)
    }

    @Test("an absent algorithm is MD5") func absent() throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge(nil)])
        #expect(try parameters(bench.request(.register))["algorithm"] == "MD5")
    }

    @Test("only unknown algorithms or protections: no answer", arguments: [("FOO", "auth"), ("MD5", "foo")])
    func unusable(algorithm: String, qop: String) throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge(algorithm, qop: qop)])
        #expect(bench.requests.count == 1)
        #expect(bench.failures.first?.kind == .authentication)
    }

    @Test("one try a nonce: the second 401 is a wrong password") func wrongPassword() throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge("SHA-256")])
        bench.answer(try bench.request(.register), 401, [challenge("SHA-256", nonce: "n2")])
        #expect(bench.requests.count == 2)
        #expect(bench.failures.first?.reason == AuthenticationFailure.refused.rawValue)
        let wait = try #require(bench.failures.first?.retryAfter)
        #expect(wait >= 150)
        bench.advance(149_000)
        #expect(bench.requests.count == 2)
    }

    @Test("a stale nonce is replaced, but not for ever") func stale() throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge("SHA-256")])
        for number in 2...10 {
            bench.answer(
                try bench.request(.register), 401, [challenge("SHA-256", nonce: "n\(number)", more: ", stale=true")])
        }
        #expect(bench.requests.count == 5)
        #expect(bench.failures.count == 1)
    }

    @Test("the same nonce again is never answered, stale or not") func sameNonce() throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge("SHA-256")])
        bench.answer(try bench.request(.register), 401, [challenge("SHA-256", more: ", stale=true")])
        #expect(bench.requests.count == 2)
    }

    @Test("a refresh uses the nonce again with the next count, and takes a new one once") func count() throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge("SHA-256")])
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        bench.advance(600_000 * 0.86)
        let refresh = try #require(bench.requests(.register).dropFirst(2).first)
        #expect(try parameters(refresh)["nc"] == "00000002")
        bench.clear()
        bench.answer(refresh, 401, [challenge("SHA-256", nonce: "n2")])
        #expect(try parameters(bench.request(.register))["nc"] == "00000001")
        bench.answer(try bench.request(.register), 401, [challenge("SHA-256", nonce: "n3")])
        #expect(bench.failures.count == 1)
    }

    @Test("a session's key stays that of its first request: the client's nonce is used again", arguments: ["MD5", "SHA-256"])
    func session(algorithm: String) throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge(algorithm + "-sess")])
        let first = try parameters(bench.request(.register))
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        let second = try parameters(register(bench))
        #expect(second["nc"] == "00000002")
        #expect(first["cnonce"] != nil && second["cnonce"] == first["cnonce"])
    }

    @Test("a server that names ever new realms gets few answers, and the next attempt begins without them") func newRealms()
        throws
    {
        let bench = bench()
        _ = try register(bench)
        for number in 1...10 {
            bench.answer(
                try bench.request(.register), 401, [challenge("SHA-256", nonce: "n\(number)", realm: "r\(number)")])
        }
        #expect(bench.requests.count == 5)
        #expect(bench.failures.map(\.reason) == [AuthenticationFailure.refused.rawValue])
        #expect(try register(bench).headers.all(.authorization).isEmpty)
    }

    @Test("a realm of its own for each registration: each is answered, and the requests do not grow") func changingRealms()
        throws
    {
        let bench = bench()
        for number in 1...8 {
            bench.answer(try register(bench), 401, [challenge("SHA-256", nonce: "n\(number)", realm: "r\(number)")])
            let request = try bench.request(.register)
            #expect(request.headers.text(.authorization) != nil && request.headers.all(.authorization).count <= 4)
            bench.answer(request, 200, [(.expires, "600")])
        }
        #expect(bench.registrations.count == 8)
    }

    @Test("a REGISTER that does not get through is followed by one without an answer to earlier challenges")
    func unreachable() throws {
        let bench = bench()
        bench.answer(try register(bench), 401, [challenge("SHA-256")])
        bench.answer(try bench.request(.register), 200, [(.expires, "600")])
        #expect(try register(bench).headers.contains(.authorization))
        bench.agent.transportFailed(try #require(bench.sent.last?.destination), now: bench.now)
        bench.collect()
        #expect(bench.failures.count == 1)
        #expect(try !register(bench).headers.contains(.authorization))
    }

    @Test("only the configured realm gets a digest") func realm() throws {
        let bench = bench(realm: Self.realm)
        bench.answer(try register(bench), 401, [challenge("SHA-256", realm: "evil.example.com")])
        #expect(bench.requests.count == 1)
        #expect(bench.failures.first?.reason == AuthenticationFailure.wrongRealm.rawValue)
    }

    @Test("a stranger's server that challenges a call gets no digest") func stranger() throws {
        let bench = bench()
        _ = try bench.agent.invite(uri("sip:x@198.51.100.7"), account: AccountID("a"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.invite), 407, [(.proxyAuthenticate, "Digest realm=\"yodel.test\", nonce=\"n\", qop=\"auth\"")])
        #expect(bench.requests(.invite).count == 1)
        #expect(bench.ended.first?.1.cause == .authentication)
    }

    @Test("a peer that names the account's domain, but another place, gets no digest, and becomes none of its servers")
    func otherPlace() throws {
        let bench = bench()
        bench.answer(try register(bench), 200, [(.expires, "600")])
        bench.clear()
        let call = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: AccountID("a"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.invite), 200, [(.contact, "<sip:mallory@192.0.2.9:5099;maddr=198.51.100.7>")], body: answerBody)
        try bench.agent.hangUp(call, now: bench.now)
        bench.collect()
        #expect(bench.sent.last?.destination.address.host == "198.51.100.7")
        bench.answer(
            try bench.request(.bye), 407, [(.proxyAuthenticate, "Digest realm=\"yodel.test\", nonce=\"n\", qop=\"auth\"")])
        #expect(bench.requests(.bye).count == 1)
        #expect(!bench.agent.isAccountServer("198.51.100.7") && bench.agent.isAccountServer("192.0.2.9"))
    }

    @Test("407 to a call through the account: Proxy-Authorization, and an ACK to the account's server has it too")
    func proxy() throws {
        let bench = bench()
        _ = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: AccountID("a"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.invite), 407, [(.proxyAuthenticate, "Digest realm=\"yodel.test\", nonce=\"n\", qop=\"auth\"")])
        let invite = try bench.request(.invite)
        #expect(try parameters(invite, .proxyAuthorization)["qop"] == "auth")
        #expect(invite.headers.cSeq.number == 2)
        bench.answer(invite, 200, body: answerBody)
        #expect(try bench.request(.ack).headers.text(.proxyAuthorization) == invite.headers.text(.proxyAuthorization))
    }

    @Test("an ACK that goes to the peer itself has no digest", arguments: [nil, "yodel.test"])
    func acknowledgement(realm: String?) throws {
        let bench = bench(realm: realm)
        _ = try bench.agent.invite(uri("sip:102@192.0.2.9"), account: AccountID("a"), body: offer, now: bench.now)
        bench.collect()
        bench.answer(
            try bench.request(.invite), 407, [(.proxyAuthenticate, "Digest realm=\"yodel.test\", nonce=\"n\", qop=\"auth\"")])
        bench.answer(try bench.request(.invite), 200, [(.contact, "<sip:102@198.51.100.7:5060>")], body: answerBody)
        #expect(try !bench.request(.ack).headers.contains(.proxyAuthorization))
        #expect(bench.sent.last?.destination.address.host == "198.51.100.7")
    }

    @Test("the next server of a name challenges anew: each has its answer, once", arguments: [503, nil] as [Int?])
    func nextServer(status: Int?) throws {
        let bench = Bench()
        bench.names["pbx.example.com"] = ["192.0.2.9", "192.0.2.10"].map {
            ServerHop(transport: .tcp, address: SignallingAddress(host: $0, port: 5060))
        }
        bench.agent.add(
            Account(
                id: AccountID("a"), address: SIPURI(user: "101", host: "pbx.example.com"), password: Password("secret-101"),
                followsSeenAddress: false))
        _ = try bench.agent.invite(uri("sip:102@pbx.example.com"), account: AccountID("a"), body: offer, now: bench.now)
        bench.collect()
        func challenge(_ nonce: String) throws {
            let text = "Digest realm=\"yodel.test\", nonce=\"\(nonce)\", qop=\"auth\""
            bench.answer(try bench.request(.invite), 407, [(.proxyAuthenticate, text)])
        }
        try challenge("a")
        if let status { bench.answer(try bench.request(.invite), status) } else { bench.advance(33_000) }
        try challenge("b")
        #expect(bench.ended.isEmpty)
        #expect(bench.sent.last?.destination.address.host == "192.0.2.10")
        #expect(try parameters(bench.request(.invite), .proxyAuthorization)["nonce"] == "b")
        try challenge("c")
        #expect(bench.ended.map(\.1.reason) == [AuthenticationFailure.refused.rawValue])
    }

    @Test("two realms in one 407 get two answers") func twoRealms() throws {
        let bench = bench()
        bench.answer(
            try register(bench), 407,
            [(.proxyAuthenticate, "Digest realm=\"a\", nonce=\"1\""), (.proxyAuthenticate, "Digest realm=\"b\", nonce=\"2\"")])
        #expect(try bench.request(.register).headers.all(.proxyAuthorization).count == 2)
    }

    @Test("no password: told so, nothing sent") func noPassword() throws {
        let bench = bench(password: "")
        bench.answer(try register(bench), 401, [challenge("SHA-256")])
        #expect(bench.requests.count == 1)
        #expect(bench.failures.first?.reason == AuthenticationFailure.noCredentials.rawValue)
    }
}
