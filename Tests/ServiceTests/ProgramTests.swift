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
}

struct ProgramProtocolTests {
    @Test func samplesSurviveTheWayThereAndBack() {
        let samples: [Float] = [0, 0.5, -0.5, -1, 0x7FFFp-15]
        #expect(ProgramProtocol.samples(ProgramProtocol.bytes(samples)) == samples)
    }

    @Test func whatIsTooLoudIsClippedAndHalfASampleLeftOut() {
        #expect(ProgramProtocol.samples(ProgramProtocol.bytes([2, -2])) == [0x7FFFp-15, -1])
        #expect(ProgramProtocol.samples([0, 0x40, 1]) == [0.5])
    }

    @Test(
        arguments: [
            (#"{"type": "clear"}"#, ProgramProtocol.Wish.clear), (#"{"type": "mark", "name": "a"}"#, .mark("a")),
            (#"{"type": "stop", "why": 1}"#, .stop), (#"{"type": "mark"}"#, nil), (#"{"type": 7}"#, nil), ("[", nil), ("", nil),
            (#"{"type": "dance"}"#, nil),
        ] as [(String, ProgramProtocol.Wish?)])
    func textIsUnderstoodOrNot(_ text: String, _ wish: ProgramProtocol.Wish?) {
        #expect(ProgramProtocol.wish(Array(text.utf8)) == wish)
    }

    @Test func theStartTellsTheSound() {
        #expect(
            ProgramProtocol.start(sampleRate: 16_000, frame: 320)
                == #"{"type":"start","rate":16000,"channels":1,"samples":320}"#)
    }
}
