import Reporting
import Testing

import Service

@Suite("What goes on by a token ends with it") struct TokenLapseTests {
    private static let reader = "reader-reader-reader"
    private static let caller = "operator-operator-op"
    private let bench = Bench(tokens: [.admin: Bench.token, .operate: Self.caller, .read: Self.reader])

    private func permit(_ token: String) throws -> Permit {
        try #require(bench.gate.permit(of: APIRequest("GET", "/", headers: ["authorization": "Bearer \(token)"])))
    }

    private func bearer(_ token: String, _ more: [String: String] = [:]) -> [String: String] {
        more.merging(["authorization": "Bearer \(token)"]) { _, new in new }
    }

    @Test("a stream of events ends before the next event once its token is none any more, and no other does")
    func events() throws {
        var lapsing = bench.core.stream(after: nil, permit: try permit(Self.reader))
        var staying = bench.core.stream(after: nil, permit: try permit(Self.caller))
        let first = [lapsing.next().isLast, staying.next().isLast]
        #expect(first == [false, false])
        // The operator's token is the reader's from now on: it may still look.
        bench.gate.change([.admin: Bench.token, .read: Self.caller])
        bench.core.spool.publish(type: "t", .null)
        let end = lapsing.next()
        #expect(end.text.isEmpty && end.isLast)
        let next = staying.next()
        #expect(next.text.contains("event: t") && !next.isLast)
    }

    @Test("a program that talks ends when its token may only look, one that listens when it may not even that")
    func programs() async throws {
        let upgrade = ["upgrade": "websocket", "connection": "Upgrade", "sec-websocket-protocol": "yodel.pcm"]
        let made = await bench.ask("POST", "/v1/calls", #"{"to": "sip:102@example.com", "audio": {"stream": true}}"#)
        let path = "/v1/calls/\(made.json.text("id") ?? "")/stream"
        let ends = FakeCall()
        var holds: [Permit.Hold?] = []
        for (name, query) in [("talk", ""), ("listen", "?track=mixed")] {
            let came = await bench.ask("GET", path + query, headers: bearer(Self.caller, upgrade))
            guard case .program(let visit) = came.response.body else {
                Issue.record("\(came.json)")
                continue
            }
            holds.append(visit.hold { ends.note(name) })
        }
        #expect(holds.count == 2 && ends.asked.isEmpty)
        bench.gate.change([.admin: Bench.token, .read: Self.caller])
        #expect(ends.asked == ["talk"])
        bench.gate.change([.admin: Bench.token])
        #expect(ends.asked == ["talk", "listen"])
        bench.gate.change([.admin: Bench.token + "x"])
        #expect(ends.asked == ["talk", "listen"], "each ends once")
        withExtendedLifetime(holds) {}
    }

    @Test("what is over, or came too late, is not ended twice or forgotten")
    func hold() throws {
        let ends = FakeCall()
        do { _ = try permit(Self.reader).hold(.read) { ends.note("over") } }
        let late = try permit(Self.reader)
        bench.gate.change([.admin: Bench.token])
        #expect(ends.asked.isEmpty)
        _ = late.hold(.read) { ends.note("late") }
        #expect(ends.asked == ["late"])
    }

    @Test("a browser's call is hung up when its token may not call any more; calls by SIP go on")
    func browser() async {
        let offer = await bench.ask(
            "POST", "/v1/webrtc?handset=true", "v=0 offer",
            headers: bearer(Self.caller, ["content-type": "application/sdp"]))
        let call = bench.telephone.calls.last
        let other = await bench.ask(
            "POST", "/v1/calls", #"{"to": "sip:102@example.com"}"#, headers: bearer(Self.caller))
        #expect(offer.status == 201 && other.status == 201 && call?.asked.isEmpty == true)
        bench.gate.change([.admin: Bench.token, .operate: Self.caller])
        #expect(call?.asked.isEmpty == true, "its token still is what it was")
        bench.gate.change([.admin: Bench.token, .read: Self.caller])
        #expect(call?.asked == ["hang up"] && bench.telephone.calls.last?.asked.isEmpty == true)
        bench.gate.change([.admin: Bench.token])
        #expect(call?.asked == ["hang up"])
    }
}
