import Service
import Testing

/// Programs as audio ends: which may be, and what they say and hear.
struct ProgramEndTests {
    private let allowed = ["ws://127.0.0.1:9000/", "wss://bots.example.com/"]

    @Test(
        arguments: [
            ("ws://127.0.0.1:9000/echo?voice=1", nil), ("wss://bots.example.com/", 8000),
            ("wss://bots.example.com/a/b", 48_000),
        ] as [(String, Int?)])
    func aProgramOfTheConfigurationIsTaken(_ url: String, _ rate: Int?) throws {
        let end = try ProgramEnd(url, rate: rate, allowed: allowed)
        #expect(end.url == url)
        #expect(end.sampleRate == rate ?? 16_000)
    }

    @Test(
        arguments: [
            ("ws://127.0.0.1:9001/", nil), ("wss://bots.example.com.evil.example/", nil), ("http://127.0.0.1:9000/", nil),
            ("ws://127.0.0.1:9000/", 44_100), ("ws://127.0.0.1:9000/#part", nil), ("ws://127.0.0.1:9000/a b", nil), ("", nil),
        ] as [(String, Int?)])
    func anotherIsRefused(_ url: String, _ rate: Int?) {
        #expect(throws: Problem.self) { try ProgramEnd(url, rate: rate, allowed: allowed) }
    }

    @Test(arguments: [
        "ws://", "ws:///path", "ws://host:0/", "ws://host:70000/", "ws://user@host/", "ftp://host/", "ws://[::1/",
    ])
    func whatIsNoURLIsRefused(_ url: String) {
        #expect(throws: Problem.self) { try ProgramEnd(url, rate: nil, allowed: [""]) }
    }

    @Test func withoutConfigurationNoneMayBe() {
        #expect(throws: Problem.self) { try ProgramEnd("ws://127.0.0.1:9000/", rate: nil, allowed: []) }
    }

    @Test(
        arguments: [
            ("wss://bots.example.com", "wss://bots.example.com", true),
            ("wss://bots.example.com", "wss://bots.example.com/a", true),
            ("wss://bots.example.com", "wss://bots.example.com?a", true),
            ("wss://bots.example.com", "wss://bots.example.com:444/", true),
            ("wss://bots.example.com", "wss://bots.example.com.evil.example/", false),
            ("wss://bots.example.com", "wss://bots.example.community/", false),
            ("ws://127.0.0.1:90", "ws://127.0.0.1:90/", true), ("ws://127.0.0.1:90", "ws://127.0.0.1:9000/", false),
            ("ws://[::1]", "ws://[::1]:9000/", true), ("ws://[::1]:90", "ws://[::1]:9000/", false),
            ("ws://[::1]:90", "ws://[::1]:90/", true), ("ws://10.", "ws://10.1.2.3/", true), ("ws://", "ws://anybody/", true),
            ("ws://bots.example.com/v1", "ws://bots.example.com/v10", true),
        ])
    func whatAURLBeginsWithEndsAtAHost(_ beginning: String, _ url: String, _ isAllowed: Bool) {
        #expect(((try? ProgramEnd(url, rate: nil, allowed: [beginning])) != nil) == isAllowed)
    }
}
