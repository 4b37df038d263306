import Reporting
import Service
import Testing

@Suite("A browser as the handset of calls") struct HandsetTests {
    private let bench = Bench()

    /// A browser that is there.
    private func handset() async throws -> (id: String, call: FakeCall) {
        let made = await bench.ask("POST", "/v1/webrtc?handset=true", "v=0 offer", headers: ["content-type": "application/sdp"])
        #expect(made.status == 201)
        let place = try #require(made.response.headers.first { $0.name == "Location" }?.value)
        let id = String(try #require(place.split(separator: "/").last))
        let call = try #require(bench.telephone.calls.last)
        call.tell(.secured(suite: "AEAD_AES_128_GCM", kind: "dtls_srtp", fingerprint: nil))
        return (id, call)
    }

    private func dial(_ handset: String) async -> (status: Int, json: JSONValue, call: FakeCall?) {
        let made = await bench.ask(
            "POST", "/v1/calls", #"{"to": "sip:102@example.com", "audio": {"handset": "\#(handset)"}}"#)
        return (made.status, made.json, bench.telephone.calls.last)
    }

    private func state(_ id: String) -> CallRecord.State? { bench.core.calls.record(id)?.state }

    @Test("a call is made with it, and the end of either ends both", arguments: [true, false])
    func outgoing(browserFirst: Bool) async throws {
        let browser = try await handset()
        #expect(bench.telephone.wished.last == "browser handset")
        let made = await dial(browser.id)
        #expect(made.status == 201 && made.json.text("audio.handset") == browser.id)
        #expect(bench.telephone.wished.last?.hasSuffix(" bridged") == true)
        let id = made.json.text("id") ?? ""
        made.call?.tell(.callAnswered(sipCode: 200))
        bench.core.calls.closeEnded()
        #expect(state(id) == .active && state(browser.id) == .active)
        if browserFirst { browser.call.end(.remoteHangup) } else { made.call?.end(.remoteHangup) }
        bench.core.calls.closeEnded()
        #expect(state(id) == .ended && state(browser.id) == .ended)
        let other = browserFirst ? made.call : browser.call
        #expect(other?.asked == ["hang up"])
    }

    @Test("it goes on while another of its calls does")
    func twoCalls() async throws {
        let browser = try await handset()
        let first = await dial(browser.id)
        let second = await dial(browser.id)
        first.call?.end(.busy, sipCode: 486)
        bench.core.calls.closeEnded()
        #expect(state(browser.id) == .active && state(second.json.text("id") ?? "") == .calling)
        second.call?.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(state(browser.id) == .ended)
    }

    @Test("a call that rings is answered with it, and rings on when a browser that has not answered it goes")
    func incoming() async throws {
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        let call = try #require(bench.telephone.calls.last)
        let id = try #require(bench.core.calls.records.last).id
        let early = try await handset()
        early.call.end(.remoteHangup)
        bench.core.calls.closeEnded()
        #expect(state(id) == .ringing && call.asked.isEmpty)
        #expect(
            await bench.ask("POST", "/v1/calls/\(id)/answer", #"{"audio": {"handset": "\#(early.id)"}}"#).json.text("at")
                == "audio.handset")
        #expect(state(id) == .ringing, "a handset that is gone answers nothing")
        let browser = try await handset()
        let answered = await bench.ask("POST", "/v1/calls/\(id)/answer", #"{"audio": {"handset": "\#(browser.id)"}}"#)
        #expect(answered.status == 202 && answered.json.text("audio.handset") == browser.id)
        #expect(call.asked == ["answer at the handset"] && state(id) == .active)
        _ = await bench.ask("DELETE", "/v1/webrtc/\(browser.id)")
        bench.core.calls.closeEnded()
        #expect(state(id) == .ended)
    }

    @Test("what is no handset is refused, and no call is made of it")
    func refused() async throws {
        let echo = await bench.ask("POST", "/v1/webrtc?echo=true", "v=0", headers: ["content-type": "application/sdp"])
        let place = echo.response.headers.first { $0.name == "Location" }?.value ?? ""
        for id in ["none", String(place.split(separator: "/").last ?? ""), ""] {
            let made = await dial(id)
            #expect(made.status == 400 && made.json.text("at") == "audio.handset", "\(id)")
        }
        for query in ["?handset=false", "?handset=true&echo=true", "?handset=1"] {
            let made = await bench.ask("POST", "/v1/webrtc\(query)", "v=0", headers: ["content-type": "application/sdp"])
            #expect(made.status == 400 && made.json.text("at") == "handset", "\(query)")
        }
        bench.core.callCame(1, account: "office", from: "sip:101@example.com", at: bench.telephone)
        let id = try #require(bench.core.calls.records.last).id
        let answered = await bench.ask("POST", "/v1/calls/\(id)/answer", #"{"audio": {"echo": true}}"#)
        #expect(answered.status == 400 && state(id) == .ringing)
        #expect(bench.core.calls.running == 2)
    }
}
