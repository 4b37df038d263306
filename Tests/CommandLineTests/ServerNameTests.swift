import Settings
import Testing

@Suite("Names of STUN and TURN servers") struct ServerNameTests {
    @Test(
        "host, port and URI are read, and told as short as they can be",
        arguments: [
            ("stun.example.com", "stun.example.com", 3478), ("192.0.2.1:5000", "192.0.2.1:5000", 5000),
            ("stun:stun.example.com:3478", "stun.example.com", 3478), ("2001:db8::1", "[2001:db8::1]", 3478),
            ("turn:[2001:db8::1]:99?transport=udp", "[2001:db8::1]:99", 99), ("TURN:x", "x", 3478),
        ] as [(String, String, UInt16)])
    func read(_ text: String, _ told: String, _ port: UInt16) throws {
        let name = try #require(ServerName(text))
        #expect(name.description == told && name.port == port)
    }

    @Test(
        "what is no server, or is not reached by UDP, is refused",
        arguments: [
            "", ":3478", "x:0", "x:65536", "x:y", "turns:example.com", "turn:x?transport=tcp", "a b", "user@host",
            "[192.0.2.1]:1",
            "[::1", "x:", "stun:", "http://x", String(repeating: "a", count: 254),
        ])
    func refused(_ text: String) { #expect(ServerName(text) == nil) }
}
