import Settings
import Testing

@Suite("Names of STUN and TURN servers") struct ServerNameTests {
    @Test(
        "host, port and URI are read, and told as short as they can be",
        arguments: [
            ("stun.example.com", "stun.example.com", 3478), ("192.0.2.1:5000", "192.0.2.1:5000", 5000),
            ("stun:stun.example.com:3478", "stun.example.com", 3478), ("2001:db8::1", "[2001:db8::1]", 3478),
            ("turn:[2001:db8::1]:99?transport=udp", "[2001:db8::1]:99", 99), ("TURN:x", "x", 3478),
            ("turn:x?transport=tcp", "turn:x?transport=tcp", 3478), ("turns:x?transport=TCP", "turns:x", 5349),
            ("turns:[2001:db8::1]:443", "turns:[2001:db8::1]:443", 443),
            ("x:99?transport=tcp", "turn:x:99?transport=tcp", 99),
        ] as [(String, String, UInt16)])
    func read(_ text: String, _ told: String, _ port: UInt16) throws {
        let name = try #require(ServerName(text))
        #expect(name.description == told && name.port == port)
        #expect(ServerName(told) == name)
    }

    @Test(
        "what is no server, or is reached by DTLS, is refused",
        arguments: [
            "", ":3478", "x:0", "x:65536", "x:y", "turns:x?transport=udp", "turn:x?transport=sctp", "a b", "user@host",
            "[192.0.2.1]:1",
            "[::1", "x:", "stun:", "http://x", String(repeating: "a", count: 254),
        ])
    func refused(_ text: String) { #expect(ServerName(text) == nil) }
}
