import Reporting
import Testing

import Service

@Suite("Programs by request") struct ProgramRouteTests {
    private let upgrade = ["upgrade": "websocket", "connection": "Upgrade", "sec-websocket-protocol": "yodel.pcm"]

    private func begin(_ bench: Bench, _ audio: String) async -> (id: String, call: FakeCall) {
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com", "audio": \#(audio)}"#)
        #expect(made.status == 201, "\(made.json)")
        return (made.json.text("id") ?? "", bench.telephone.calls.last ?? FakeCall())
    }

    private func isProgram(_ response: APIResponse) -> Bool { if case .program = response.body { true } else { false } }

    @Test("a program that comes is let in to talk where the call waits for one, by who may operate")
    func talk() async {
        let bench = Bench(tokens: [.admin: Bench.token, .read: "read-token-0123456789"])
        let (id, call) = await begin(bench, #"{"stream": true, "rate": 8000}"#)
        let path = "/v1/calls/\(id)/stream"
        let came = await bench.ask("GET", path, headers: upgrade)
        #expect(came.status == 101 && isProgram(came.response))
        #expect(await bench.ask("GET", path).status == 426, "without an upgrade it is told")
        #expect(await bench.ask("GET", path, headers: ["upgrade": "h2c"]).status == 426)
        let reader = upgrade.merging(["authorization": "Bearer read-token-0123456789"]) { _, new in new }
        #expect(await bench.ask("GET", path, headers: reader).status == 403)
        #expect(await bench.ask("GET", path + "?rate=8000", headers: upgrade).json.text("at") == "rate")
        let other = upgrade.merging(["sec-websocket-protocol": "chat"]) { _, new in new }
        #expect(await bench.ask("GET", path, headers: other).json.text("at") == "Sec-WebSocket-Protocol")
        #expect(await bench.ask("GET", "/v1/calls/none/stream", headers: upgrade).status == 404)
        call.end(.remoteHangup)
        #expect(await bench.ask("GET", path, headers: upgrade).status == 409)
    }

    @Test("into a call that has another audio end nobody talks")
    func other() async {
        let bench = Bench()
        let (id, _) = await begin(bench, #"{"echo": true}"#)
        #expect(await bench.ask("GET", "/v1/calls/\(id)/stream", headers: upgrade).status == 409)
    }

    @Test("who may look may listen, to each side, both or mixed")
    func listen() async {
        let bench = Bench(tokens: [.admin: Bench.token, .read: "read-token-0123456789"])
        let (id, _) = await begin(bench, #"{"echo": true}"#)
        let reader = upgrade.merging(["authorization": "Bearer read-token-0123456789"]) { _, new in new }
        for query in ["track=inbound", "track=outbound&rate=48000", "track=both", "track=mixed&rate=8000"] {
            let came = await bench.ask("GET", "/v1/calls/\(id)/stream?\(query)", headers: reader)
            #expect(came.status == 101 && isProgram(came.response), "\(query)")
        }
        for (query, place) in [
            ("track=all", "track"), ("track=both&rate=1", "rate"), ("track=both&rate=x", "rate"), ("trak=both", "trak"),
            ("track=both&encoding=opus", "encoding"), ("track=mixed&encoding=mulaw&rate=16000", "rate"),
            ("track=mixed&encoding=mulaw", "Sec-WebSocket-Protocol"),
        ] {
            let refused = await bench.ask("GET", "/v1/calls/\(id)/stream?\(query)", headers: upgrade)
            #expect(refused.status == 400 && refused.json.text("at") == place, "\(query) \(refused.json)")
        }
    }

    @Test("to a call that is over nobody listens, and that is what is told, also once it is closed")
    func over() async {
        let bench = Bench()
        let (id, call) = await begin(bench, #"{"echo": true}"#)
        call.end(.remoteHangup)
        for _ in 0..<2 {
            let refused = await bench.ask("GET", "/v1/calls/\(id)/stream?track=both", headers: upgrade)
            #expect(refused.status == 409 && refused.json.text("detail") == "the call is over", "\(refused.json)")
            bench.core.calls.closeEnded()
        }
    }

    @Test("a program is asked to listen by its URL, if the configuration allows it; and no more")
    func listener() async {
        let bench = Bench(programs: ["ws://127.0.0.1:1/"])
        let (id, call) = await begin(bench, #"{"echo": true}"#)
        let path = "/v1/calls/\(id)/listener"
        #expect(await bench.ask("DELETE", path).status == 409)
        for (body, place) in [
            ("{}", "websocket"), (#"{"websocket": "ws://127.0.0.1:2/"}"#, "websocket"),
            (#"{"websocket": "ws://127.0.0.1:1/", "track": "all"}"#, "track"),
            (#"{"websocket": "ws://127.0.0.1:1/", "rate": 1}"#, "rate"),
            (#"{"websocket": "ws://127.0.0.1:1/", "trak": "both"}"#, "trak"),
        ] {
            let refused = await bench.ask("PUT", path, body)
            #expect(refused.status == 400 && refused.json.text("at") == place, "\(body) \(refused.json)")
        }
        let asked = await bench.ask("PUT", path, #"{"websocket": "ws://127.0.0.1:1/x", "track": "both", "rate": 8000}"#)
        #expect(asked.status == 200, "\(asked.json)")
        #expect(asked.json.text("track") == "both" && asked.json.value(at: "rate") == .integer(8000))
        #expect(call.asked.contains("listened to"))
        #expect(await bench.ask("PUT", path, #"{"websocket": "ws://127.0.0.1:1/x"}"#).status == 409, "one a call")
        #expect(await bench.ask("DELETE", path).json.text("websocket") == "ws://127.0.0.1:1/x")
        #expect(call.asked.last == "listened to no more")
    }

    @Test(
        "a program's path does not climb out of what the configuration allows",
        arguments: [
            ("../admin", 400), ("%2E./admin", 400), (".%2e%2fadmin", 400), ("..\\\\admin", 400), ("x/..;a=1/admin", 400),
            ("./x", 400),
            ("..x/y..", 200), ("x?next=/../y", 200),
        ])
    func climbing(path: String, status: Int) async {
        let bench = Bench(programs: ["ws://127.0.0.1:1/calls/"])
        let (id, _) = await begin(bench, #"{"echo": true}"#)
        let answer = await bench.ask("PUT", "/v1/calls/\(id)/listener", #"{"websocket": "ws://127.0.0.1:1/calls/\#(path)"}"#)
        #expect(answer.status == status, "\(answer.json)")
    }

    @Test("a program is one audio end, and says how its sound is written")
    func ends() async {
        let bench = Bench(programs: ["ws://127.0.0.1:1/"])
        let (_, _) = await begin(bench, #"{"websocket": "ws://127.0.0.1:1/", "encoding": "mulaw"}"#)
        #expect(bench.telephone.wished.last?.contains(#""rate":8000,"encoding":"mulaw""#) == true)
        for (audio, place) in [
            (#"{"stream": true, "websocket": "ws://127.0.0.1:1/"}"#, "audio"), (#"{"stream": true, "echo": true}"#, "audio"),
            (#"{"stream": false}"#, "audio"), (#"{"echo": true, "rate": 8000}"#, "audio.rate"),
            (#"{"echo": true, "encoding": "l16"}"#, "audio.encoding"), (#"{"stream": 1}"#, "audio.stream"),
            (#"{"stream": true, "encoding": "mulaw", "rate": 16000}"#, "audio.rate"),
        ] {
            let refused = await bench.ask("POST", "/v1/calls", #"{"to": "sip:1@example.com", "audio": \#(audio)}"#)
            #expect(refused.status == 400 && refused.json.text("at") == place, "\(audio) \(refused.json)")
        }
    }
}
