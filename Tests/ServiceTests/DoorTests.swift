import Link
import Reporting
import Softphone
import Testing

import Service

@Suite("The one call of a browser that `yodel listen http://` takes") struct DoorTests {
    private static let token = "0123456789abcdef"
    private let telephone: FakeTelephone
    private let visit: BrowserVisit
    private let router: Router<BrowserVisit>

    init() throws {
        let telephone = FakeTelephone()
        self.telephone = telephone
        visit = try BrowserVisit(allow: [try CIDR("127.0.0.0/8")]) { (offer) async throws(SoftphoneError) in
            try telephone.answer(offer: offer, audio: .echo, bridge: nil)
        }
        router = Router(
            DoorRoutes.all, gate: Gate(tokens: [.admin: Self.token], isOnLoopback: true, remedy: "what was printed"))
    }

    private func ask(
        _ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:],
        from source: String = "127.0.0.1"
    ) async -> (status: Int, text: String, response: APIResponse) {
        let all = ["host": "localhost:8080", "authorization": "Bearer \(Self.token)"].merging(headers) { _, new in new }
        var request = APIRequest(method, path, headers: all, body: Array(body.utf8))
        request.source = try? IPAddress(source)
        let response = await router.answer(request, by: visit)
        let text = if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
        return (response.status, text, response)
    }

    private func offer(
        _ text: String = "v=0 offer", headers: [String: String] = [:], from source: String = "127.0.0.1"
    ) async -> (status: Int, place: String, text: String) {
        let made = await ask(
            "POST", "/call", text, headers: ["content-type": "application/sdp"].merging(headers) { _, new in new }, from: source
        )
        return (made.status, made.response.headers.first { $0.name == "Location" }?.value ?? "", made.text)
    }

    @Test("an offer is answered; the call tells its figures, takes late candidates, and is hung up")
    func whole() async throws {
        let made = await offer()
        #expect(made.status == 201 && made.text == "v=0 answer" && made.place.hasPrefix("/call/"))
        #expect(telephone.wished == [#"browser {"echo":true}"#])
        let call = try #require(telephone.calls.last)
        #expect(visit.waitForCall() === call)
        let figures = await ask("GET", made.place)
        #expect(figures.status == 200 && figures.response.contentType == "application/json")
        let fragment = ["content-type": "application/trickle-ice-sdpfrag"]
        let late = await ask("PATCH", made.place, "a=mid:0", headers: fragment)
        #expect(late.status == 200 && late.text == "a=candidate:late")
        #expect(await ask("PATCH", made.place, "a=end-of-candidates", headers: fragment).status == 204)
        #expect(await ask("PATCH", made.place, "", headers: fragment).status == 400)
        #expect(await ask("PATCH", made.place, "a=mid:0").status == 415)
        #expect(await ask("DELETE", made.place).status == 204)
        #expect(call.asked.last == "hang up")
        #expect(await ask("PATCH", made.place, "a=mid:0", headers: fragment).status == 409)
    }

    @Test("one call is taken: an offer that cannot be answered leaves the place free, the next one after a call is refused")
    func once() async {
        #expect(await offer("hello").status == 400)
        #expect(await offer().status == 201)
        #expect(await offer().status == 409)
        #expect(telephone.calls.count == 1)
    }

    @Test("who bears no token, comes from elsewhere, or asks for something else makes no call")
    func refused() async {
        let stranger = await offer(headers: ["authorization": "Bearer x"])
        #expect(stranger.status == 401 && stranger.text.contains("what was printed"))
        #expect(await offer(headers: ["content-type": "text/plain"]).status == 415)
        #expect(await offer(headers: ["sec-fetch-site": "cross-site"]).status == 403)
        #expect(await offer(headers: ["host": "evil.example"]).status == 421)
        #expect(await offer(from: "192.0.2.1").status == 403)
        for method in ["GET", "PATCH", "DELETE"] { #expect(await ask(method, "/call/none").status == 404) }
        #expect(await ask("GET", "/v1/calls").status == 404)
        #expect(telephone.calls.isEmpty)
    }

    @Test("a page of another origin gets no leave to ask (CORS), whatever it asks and whatever it knows")
    func otherOrigins() async {
        let page = ["origin": "http://elsewhere.example", "sec-fetch-site": "cross-site"]
        let preflight = page.merging(["access-control-request-method": "POST", "authorization": ""]) { $1 }
        let offer = page.merging(["content-type": "application/sdp"]) { $1 }
        let answers = [
            (401, await ask("OPTIONS", "/call", headers: preflight).response),
            (403, await ask("OPTIONS", "/call", headers: page).response),
            (403, await ask("POST", "/call", "v=0", headers: offer).response),
            (200, await ask("GET", "/", headers: page).response),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status)
            let names = answer.headers.map { $0.name.lowercased() }
            #expect(!names.contains { $0.hasPrefix("access-control-") }, "\(names)")
        }
        #expect(telephone.calls.isEmpty)
    }

    @Test("the page needs no token, holds none, and lets nothing in from elsewhere")
    func page() async {
        for path in ["/", "/page.js", "/page.css"] {
            let answer = await ask("GET", path, headers: ["authorization": ""])
            let policy = answer.response.headers.first { $0.name == "Content-Security-Policy" }?.value ?? ""
            #expect(answer.status == 200 && policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
            #expect(!answer.text.contains(Self.token) && !answer.text.contains("style=") && !answer.text.contains("onclick"))
            #expect(!answer.text.contains("/v1/webrtc"), "what is the service's alone")
        }
    }
}
