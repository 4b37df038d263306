import Service
import Testing

@Suite("Calls of browsers by HTTP") struct BrowserTests {
    private let bench = Bench()
    private let sdp = ["content-type": "application/sdp"]

    private func call(_ query: String = "") async -> (status: Int, place: String, body: String, call: FakeCall?) {
        let made = await bench.ask("POST", "/v1/webrtc\(query)", "v=0 offer", headers: sdp)
        let place = made.response.headers.first { $0.name == "Location" }?.value ?? ""
        var body = ""
        if case .bytes(let bytes) = made.response.body { body = String(decoding: bytes, as: UTF8.self) }
        return (made.status, place, body, bench.telephone.calls.last)
    }

    @Test("an offer is answered, the call is one like others, takes late candidates, and is hung up")
    func whole() async throws {
        let made = await call("?echo=true")
        #expect(made.status == 201 && made.body == "v=0 answer")
        #expect(bench.telephone.wished.last == #"browser {"echo":true}"#)
        let id = try #require(made.place.split(separator: "/").last)
        #expect(made.place == "/v1/webrtc/\(id)")
        let listed = await bench.ask("GET", "/v1/calls/\(id)")
        #expect(listed.json.text("kind") == "browser" && listed.json.text("state") == "ringing")
        made.call?.tell(.secured(suite: "AEAD_AES_128_GCM", kind: "dtls_srtp", fingerprint: nil))
        #expect(await bench.ask("GET", "/v1/calls/\(id)").json.text("state") == "active")
        let fragment = ["content-type": "application/trickle-ice-sdpfrag"]
        #expect(await bench.ask("PATCH", made.place, "a=end-of-candidates", headers: fragment).status == 204)
        #expect(made.call?.asked == ["fragment a=end-of-candidates"])
        let late = await bench.ask("PATCH", made.place, "a=mid:0", headers: fragment)
        let text = if case .bytes(let bytes) = late.response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
        #expect(late.status == 200 && text == "a=candidate:late")
        #expect(await bench.ask("PATCH", made.place, "", headers: fragment).status == 400)
        #expect(await bench.ask("DELETE", made.place).status == 200)
        #expect(made.call?.asked.last == "hang up")
        bench.core.calls.closeEnded()
        #expect(await bench.ask("PATCH", made.place, "x", headers: fragment).status == 409)
    }

    @Test("the query chooses the audio end, and only what a request may choose")
    func audio() async {
        #expect(await call("?device=default").status == 201)
        #expect(bench.telephone.wished.last == #"browser {"device":"default"}"#)
        #expect(await call().status == 201)
        #expect(bench.telephone.wished.last == #"browser {"device":"null"}"#)
        for query in ["?device=hw%3A0", "?play=..%2Fx", "?echo=maybe", "?ecoh=true", "?echo=true&device=null", "?device="] {
            #expect(await call(query).status == 400, "\(query)")
        }
    }

    @Test("offers that nobody connects by leave room: for other addresses, and for calls")
    func connecting() async {
        let bench = Bench(capacity: 20)
        func offer(_ source: String) async -> (status: Int, wait: String?) {
            let answer = await bench.ask("POST", "/v1/webrtc", "v=0", headers: sdp, from: source)
            return (answer.status, answer.response.headers.first { $0.name == "Retry-After" }?.value)
        }
        for _ in 0..<CallBook.connectingPerSource { #expect(await offer("192.0.2.1").status == 201) }
        #expect(await offer("192.0.2.1") == (429, "5"))
        bench.telephone.calls[0].tell(.secured(suite: "AEAD_AES_128_GCM", kind: "dtls_srtp", fingerprint: nil))
        #expect(await offer("192.0.2.1").status == 201, "who is connected does not count")
        for _ in 0..<7 { #expect(await offer("192.0.2.2").status == 201) }
        #expect(await offer("192.0.2.3") == (503, "5"))
        #expect(await bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com"}"#).status == 201)
    }

    @Test("what is no offer, comes as another type, or is about another call is refused")
    func refused() async {
        #expect(await bench.ask("POST", "/v1/webrtc", "hello", headers: sdp).status == 400)
        #expect(await bench.ask("POST", "/v1/webrtc", "v=0").status == 415)
        #expect(await bench.ask("POST", "/v1/webrtc", "v=0", headers: ["authorization": "Bearer x"]).status == 401)
        #expect(await bench.ask("DELETE", "/v1/webrtc/none").status == 404)
        let other = await bench.call()
        #expect(await bench.ask("DELETE", "/v1/webrtc/\(other.id)").status == 404)
        #expect(bench.core.calls.running == 1)
    }

    @Test("the page needs no token, holds none, and lets nothing in from elsewhere")
    func page() async {
        for path in ["/", "/page.js", "/page.css"] {
            let answer = await bench.ask("GET", path, headers: ["authorization": ""])
            #expect(answer.status == 200)
            let policy = answer.response.headers.first { $0.name == "Content-Security-Policy" }?.value ?? ""
            #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
            guard case .string(let text) = answer.json else { continue }
            #expect(!text.contains(Bench.token) && !text.contains("style=") && !text.contains("onclick"))
        }
        #expect(await bench.ask("GET", "/", headers: ["host": "evil.example"]).status == 421)
    }
}
