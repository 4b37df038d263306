import Glibc
import SIP
import SignallingTransport
import Testing

@Suite("TLS") struct TLSTests {
    static func server(_ certificate: String = "server", _ configure: (inout TLSSettings) -> Void = { _ in }) throws
        -> Side
    {
        var settings = TLSSettings(
            authorityFile: fixture("ca.pem"), certificateFile: fixture(certificate + ".pem"),
            keyFile: fixture("key.pem"))
        configure(&settings)
        return try Side([.tls], tls: settings)
    }

    static let trusting = TLSSettings(authorityFile: fixture("ca.pem"))

    func failure(
        of certificate: String, name: String? = "sip.example.test", tls: TLSSettings = trusting
    ) async throws -> SignallingFailure? {
        let server = try Self.server(certificate)
        let phone = try Side(tls: tls)
        phone.transport.send(bytes("secret"), to: try server.destination(.tls, serverName: name))
        let failure = await phone.inbox.failed()?.1
        #expect(!server.inbox.all.contains { if case .received = $0 { true } else { false } }, "nothing was sent")
        await phone.end()
        await server.end()
        return failure
    }

    func reason(of failure: SignallingFailure?) -> CertificateFailure? {
        if case .certificate(let reason, _)? = failure { reason } else { nil }
    }

    @Test(
        "a verified stream carries bytes both ways, and tells the certificate",
        arguments: ["sip.example.test", "a.wild.example.test", nil])
    func verified(name: String?) async throws {
        let server = try Self.server()
        let phone = try Side(tls: Self.trusting)
        phone.transport.send(bytes("REGISTER"), to: try server.destination(.tls, serverName: name))
        let (text, source) = try #require(await server.inbox.received(8))
        #expect(text == "REGISTER")
        let opened = try #require(await phone.inbox.opened())
        let certificate = try #require(opened.certificate)
        #expect(certificate.subject == "/CN=sip.example.test")
        #expect(certificate.issuer == "/CN=Test ca")
        #expect(certificate.daysLeft(at: certificate.notAfter - 86_400 * 3 - 5) == 3)
        #expect(certificate.daysLeft(at: certificate.notAfter + 1) == -1)
        #expect(certificate.fingerprintText.count == 95)
        server.transport.send(
            bytes("200"),
            to: SignallingDestination(transport: .tls, address: source.remote, connection: source.connection))
        #expect(await phone.inbox.received(3)?.text == "200")
        await phone.end()
        await server.end()
    }

    @Test(
        "a certificate for another name is refused with that reason",
        arguments: ["other.example.test", "127.0.0.2", "a.b.wild.example.test"])
    func wrongName(name: String) async throws {
        #expect(reason(of: try await failure(of: "server", name: name)) == .wrongName(expected: name))
    }

    @Test(
        "each other fault has its own reason",
        arguments: [
            ("expired", CertificateFailure.expired), ("early", .notYetValid), ("stranger", .unknownIssuer),
            ("selfsigned", .selfSigned),
        ])
    func reasons(certificate: String, expected: CertificateFailure) async throws {
        let failure = try await failure(of: certificate)
        #expect(reason(of: failure) == expected)
        #expect(failure?.description.contains("/CN=sip.example.test") == true)
    }

    @Test("without a CA file the system's authorities are asked, who do not know ours")
    func systemAuthorities() async throws {
        #expect(reason(of: try await failure(of: "server", tls: TLSSettings())) == .unknownIssuer)
    }

    @Test("a CA file that cannot be read is told by its name")
    func missingAuthorities() async throws {
        let failure = try await failure(of: "server", tls: TLSSettings(authorityFile: fixture("nowhere.pem")))
        guard case .credentials(let words)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(words.contains("nowhere.pem"))
    }

    @Test("a pinned fingerprint takes the place of chain, name and dates; another certificate is refused")
    func pinned() async throws {
        let server = try Self.server("selfsigned")
        let phone = try Side(tls: Self.trusting)
        phone.transport.connect(to: try server.destination(.tls, serverName: "x"))
        guard case .certificate(.selfSigned, let seen?)? = await phone.inbox.failed()?.1 else { throw NoCertificate() }
        try await pin(seen.fingerprint, server)
        await phone.end()
    }

    private func pin(_ fingerprint: [UInt8], _ server: Side) async throws {
        let phone = try Side(tls: TLSSettings(pinnedFingerprint: fingerprint))
        phone.transport.send(bytes("hello"), to: try server.destination(.tls, serverName: "x"))
        #expect(await server.inbox.received(5)?.text == "hello")
        await phone.end()
        await server.end()
        let wrong = TLSSettings(authorityFile: fixture("ca.pem"), pinnedFingerprint: fingerprint)
        #expect(reason(of: try await failure(of: "server", tls: wrong)) == .notPinned)
    }

    @Test("a server that knows no newer version than 1.2 is good enough by default, and refused where 1.3 is the least")
    func minimumVersion() async throws {
        let server = try await OldServer.start()
        for (version, isEnough) in [(TLSSettings.Version.tls12, true), (.tls13, false)] {
            var settings = Self.trusting
            settings.minimumVersion = version
            let phone = try Side(tls: settings)
            phone.transport.connect(to: server.destination)
            if isEnough {
                #expect(await phone.inbox.opened() != nil)
            } else {
                guard case .handshake? = await phone.inbox.failed()?.1 else { throw NoCertificate() }
            }
            await phone.end()
        }
        try await server.end()
    }

    @Test("a listener that demands a certificate takes the phone's, and refuses a phone without or with a stranger's")
    func clientCertificate() async throws {
        let server = try Self.server { $0.requiresClientCertificate = true }
        var settings = Self.trusting
        settings.certificateFile = fixture("client.pem")
        settings.keyFile = fixture("key.pem")
        let phone = try Side(tls: settings)
        phone.transport.send(bytes("hello"), to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(await server.inbox.received(5)?.text == "hello")
        #expect(await server.inbox.opened(inbound: true)?.certificate?.subject == "/CN=phone")
        settings.certificateFile = fixture("stranger.pem")
        let stranger = try Side(tls: settings)
        let nobody = try Side(tls: Self.trusting)
        for side in [stranger, nobody] {
            side.transport.send(bytes("hello"), to: try server.destination(.tls, serverName: "sip.example.test"))
            let end = await side.inbox.wait { event -> SignallingFailure? in
                switch event {
                case .closed(_, let failure), .failed(_, let failure): failure
                default: nil
                }
            }
            guard case .handshake? = end else {
                Issue.record("\(String(describing: end))")
                continue
            }
        }
        #expect(await server.inbox.received(5)?.text == "hello", "nothing more came through")
        for side in [phone, stranger, nobody, server] { await side.end() }
    }

    @Test("a new CA file is taken by the next connection")
    func newAuthorities() async throws {
        let path = "/tmp/yodel-ca-\(getpid()).pem"
        defer { unlink(path) }
        try copy(fixture("other-ca.pem"), path)
        let server = try Self.server()
        let phone = try Side(tls: TLSSettings(authorityFile: path))
        phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(reason(of: await phone.inbox.failed()?.1) == .unknownIssuer)
        try copy(fixture("ca.pem"), path)
        phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(await phone.inbox.opened() != nil)
        await phone.end()
        await server.end()
    }

    @Test("a new certificate of a listener is shown to the next connection")
    func newCertificate() async throws {
        let path = "/tmp/yodel-certificate-\(getpid()).pem"
        defer { unlink(path) }
        try copy(fixture("expired.pem"), path)
        let server = try Self.server { $0.certificateFile = path }
        let phone = try Side(tls: Self.trusting)
        phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(reason(of: await phone.inbox.failed()?.1) == .expired)
        try copy(fixture("server.pem"), path)
        phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(await phone.inbox.opened() != nil)
        await phone.end()
        await server.end()
    }

    @Test("files that are half written, or gone, leave a listener the certificate of before, and that is told once a change")
    func uselessCertificate() async throws {
        let path = "/tmp/yodel-half-\(getpid()).pem"
        defer { unlink(path) }
        try copy(fixture("server.pem"), path)
        let server = try Self.server { $0.certificateFile = path }
        let half = try #require(fopen(path, "w"))
        fputs("-----BEGIN CERTIFICATE-----\nhalf", half)
        fclose(half)
        for _ in 0..<2 {
            let phone = try Side(tls: Self.trusting)
            phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
            #expect(await phone.inbox.opened() != nil)
            await phone.end()
        }
        func warnings() -> [String] {
            server.inbox.all.compactMap { if case .warning(let text) = $0 { text } else { nil } }
        }
        #expect(warnings().count == 1)
        #expect(warnings().first?.contains(path) == true)
        unlink(path)
        let phone = try Side(tls: Self.trusting)
        phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(await phone.inbox.opened() != nil)
        #expect(warnings().count == 2)
        try copy(fixture("expired.pem"), path)
        let next = try Side(tls: Self.trusting)
        next.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(reason(of: await next.inbox.failed()?.1) == .expired, "new files that can be used are taken")
        for side in [phone, next, server] { await side.end() }
    }

    @Test("a listener without a certificate, or with a key that is none, does not start")
    func noCredentials() {
        for file in [nil, fixture("ca.pem")] {
            #expect(throws: SignallingFailure.self) {
                try Side([.tls], tls: TLSSettings(certificateFile: fixture("server.pem"), keyFile: file))
            }
        }
    }

    @Test("a stream that was verified for one name is not used for another")
    func oneNameOneStream() async throws {
        let server = try Self.server()
        let phone = try Side(tls: Self.trusting)
        phone.transport.connect(to: try server.destination(.tls, serverName: "sip.example.test"))
        #expect(await phone.inbox.opened() != nil)
        phone.transport.send(bytes("x"), to: try server.destination(.tls, serverName: "other.example.test"))
        #expect(reason(of: await phone.inbox.failed()?.1) == .wrongName(expected: "other.example.test"))
        await phone.end()
        await server.end()
    }

    private func copy(_ from: String, _ to: String) throws {
        let input = try #require(fopen(from, "r")), output = try #require(fopen(to, "w"))
        defer { fclose(input) }
        defer { fclose(output) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&buffer, 1, buffer.count, input)
        try #require(fwrite(buffer, 1, count, output) == count)
    }
}

struct NoCertificate: Error {}
