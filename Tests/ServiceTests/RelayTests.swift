import Reporting
import Settings
import Testing

import Service

@Suite("TURN servers for browsers") struct RelayTests {
    private let servers = ["turn.example.com", "turn:192.0.2.1:3479?transport=tcp", "turns:[2001:db8::1]"].compactMap {
        ServerName($0)
    }

    @Test("a name and its password are those that a server with the secret makes, and count for an hour")
    func password() {
        let relays = BrowserRelays(servers, secret: "north-of-the-wall-1")
        let server = relays.server(now: 1_763_000_000, name: "desk")
        #expect(
            server.value(at: "urls")
                == .array(
                    ["turn:turn.example.com", "turn:192.0.2.1:3479?transport=tcp", "turns:[2001:db8::1]"].map { .string($0) }))
        #expect(server.text("username") == "1763003600:desk")
        // By Python's hmac.
        #expect(server.text("credential") == "SsVB3IyRiGS7RpKskzvRTvdImDs=")
        #expect(!server.text.contains("north-of-the-wall-1"))
    }

    @Test("each asks for its own; who may only look gets none, and where there is no secret there are none")
    func route() async {
        let bench = Bench(
            tokens: [.admin: Bench.token, .read: "reader-reader-read3"],
            relays: BrowserRelays(servers, secret: "north-of-the-wall-1"))
        var names: Set<String> = []
        for _ in 0..<3 {
            let answer = await bench.ask("GET", "/v1/relays")
            guard case .array(let list) = answer.json.value(at: "ice_servers"), let server = list.first else {
                return #expect(Bool(false))
            }
            #expect(answer.status == 200 && list.count == 1 && answer.json.value(at: "lifetime_s") == .integer(3600))
            names.insert(server.text("username") ?? "")
        }
        #expect(names.count == 3)
        #expect(await bench.ask("GET", "/v1/relays", headers: ["authorization": "Bearer reader-reader-read3"]).status == 403)
        let none = await Bench().ask("GET", "/v1/relays")
        #expect(none.status == 200 && none.json.value(at: "ice_servers") == .array([]))
    }
}
