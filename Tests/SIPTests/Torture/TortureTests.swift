import SIP
import Testing

/// Every message of RFC 4475 and RFC 5118, remade with the same defect in other words, and hostile ones of our own.
@Suite("Torture messages get what the RFC says") struct TortureTests {
    @Test(arguments: TortureVector.rfc4475Valid) func rfc4475Valid(vector: TortureVector) throws { try run(vector) }
    @Test(arguments: TortureVector.rfc4475Invalid) func rfc4475Invalid(vector: TortureVector) throws { try run(vector) }
    @Test(arguments: TortureVector.rfc4475Semantics) func rfc4475Semantics(vector: TortureVector) throws { try run(vector) }
    @Test(arguments: TortureVector.rfc5118) func rfc5118(vector: TortureVector) throws { try run(vector) }
    @Test(arguments: TortureVector.hostile) func hostile(vector: TortureVector) throws { try run(vector) }

    private func run(_ vector: TortureVector) throws {
        let bench = Bench()
        bench.feed(vector.bytes)
        let codes = bench.codes
        switch vector.expectation {
        case .rings:
            #expect(bench.incoming.count == 1)
            #expect(codes == [100])
        case .answered(let allowed):
            #expect(bench.incoming.isEmpty)
            #expect(codes.count == 1 && allowed.contains(codes.first ?? 0), "answered \(codes)")
        case .dropped:
            #expect(codes.isEmpty, "answered \(codes)")
            #expect(bench.sent.isEmpty)
        case .anything: break
        }
        // Whatever goes out is well formed, and goes to where the packet came from.
        for sent in bench.sent { #expect(sent.destination.address.host == bench.peer.remote.host) }
        #expect(bench.rawSent.isEmpty)
        // The next request is served.
        bench.clear()
        bench.feed(PeerCall(callID: "after").request(.options, branch: "z9hG4bKafter"))
        #expect(bench.codes == [200])
        // By stream it ends in an answer, a wait for more, or a closed stream; never in harm.
        let stream = SignallingSource(transport: .tcp, remote: bench.peer.remote, connection: SignallingConnectionID(number: 1))
        bench.feed(vector.bytes, from: stream)
        bench.feed(PeerCall(callID: "last").request(.options, branch: "z9hG4bKlast"))
        #expect(bench.codes.last == 200)
    }

    @Test("values that only look alike stay apart")
    func details() throws {
        let parser = MessageParser()
        func request(_ name: String) throws -> Request {
            let all = TortureVector.rfc4475Valid + TortureVector.rfc4475Semantics + TortureVector.rfc5118
            let vector = try #require(all.first { $0.name == name })
            guard case .message(.request(let request)) = parser.parse(vector.bytes) else { throw ParseProblem.badStartLine }
            return request
        }
        let white = try request("wsinv")
        #expect(white.headers.vias.map(\.host) == ["192.0.2.9", "q.example.com", "192.0.2.77"])
        #expect(white.headers.contacts.first?.parameters["q"] == "0.25")
        #expect(white.headers.contacts.first?.displayName == "Quoted \"\"")
        #expect(white.headers.text(HeaderName("Brand-New")) == "value that goes on")
        #expect(try request("cparam01").headers.contacts.first?.parameters.contains("x") == true)
        #expect(try request("cparam02").headers.contacts.first?.uri.sip?.parameters.contains("x") == true)
        #expect(try request("port-ambiguous").uri.sip?.port == nil)
        #expect(try request("port-unambiguous").uri.sip?.port == 5070)
        #expect(try request("via-received-param-with-delim").headers.topVia?.received == "2001:db8::9:255")
        #expect(try request("via-received-param-no-delim").headers.topVia?.received == "2001:db8::9:255")
        let nul = try request("escnull").headers.contacts
        #expect(nul.count == 2 && nul.first?.uri.isEquivalent(to: nul[1].uri) == false)
    }
}
