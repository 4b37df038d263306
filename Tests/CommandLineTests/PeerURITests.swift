import Settings
import Testing

@Suite("URIs of calls from person to person") struct PeerURITests {
    @Test(
        "a host, and a port unless it is the usual one",
        arguments: [
            ("yodel://Example.COM", "example.com", 9633, "example.com:9633"),
            ("YODEL://192.0.2.7:7/", "192.0.2.7", 7, "192.0.2.7:7"),
            ("yodel://[2001:db8::1]", "2001:db8::1", 9633, "[2001:db8::1]:9633"),
            ("yodel://[2001:db8::1]:65535", "2001:db8::1", 65_535, "[2001:db8::1]:65535"),
        ] as [(String, String, UInt16, String)])
    func read(text: String, host: String, port: UInt16, name: String) throws {
        let uri = try PeerURI(parsing: text, role: .call)
        #expect(uri.host == host && uri.port == port && uri.name == name)
    }

    @Test(
        "what is none says what should be written",
        arguments: [
            "yodel://", "yodel:example.com", "yodel://a:b", "yodel://a:70000", "yodel://a:", "yodel://me@a", "yodel://a/b",
            "yodel://a?codec=opus", "yodel://2001:db8::1", "yodel://[a", "yodel://a b", "yodel://a:0", "rtp://a:1",
        ])
    func wrong(text: String) {
        let error = #expect(throws: SettingsError.self) { try PeerURI(parsing: text, role: .call) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(PeerURI.isMeant(by: text) ? "yodel://HOST[:PORT]" : "HOST"))
    }

    @Test("a listener may leave its port to the system") func anyPort() throws {
        #expect(try PeerURI(parsing: "yodel://0.0.0.0:0", role: .listen).port == 0)
    }
}
