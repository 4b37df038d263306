import SIP
import Testing

@Suite("Messages are parsed once and kept as they came") struct MessageParserTests {
    private let parser = MessageParser()

    private func request(_ text: String, _ place: SourceLocation = #_sourceLocation) throws -> Request {
        guard case .message(.request(let request)) = parser.parse(wire(text)) else {
            throw ParseProblem.badStartLine
        }
        return request
    }

    private static let head = """
        INVITE sip:a@example.com SIP/2.0
        Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK1
        From: <sip:b@example.com>;tag=1
        To: <sip:a@example.com>
        Call-ID: x
        CSeq: 1 INVITE

        """

    @Test("compact and odd spellings name the same field") func compactForms() throws {
        let request = try request(
            """
            OPTIONS sip:a@example.com SIP/2.0
            v : SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK1
            f: <sip:b@example.com>;tag=1
            T: <sip:a@example.com>
            i: x
            cseq: 0007
              OPTIONS
            k: timer, 100rel
            l: 0


            """)
        #expect(request.headers.topVia?.branch == "z9hG4bK1")
        #expect(request.headers.from.tag == "1")
        #expect(request.headers.cSeq == CSeq(number: 7, method: .options))
        #expect(request.headers.tokens(.supported) == ["timer", "100rel"])
        #expect(request.headers.lists("TIMER", in: .supported))
    }

    @Test("an unknown field keeps its octets, folds and place") func unknownFields() throws {
        let request = try request(Self.head + "X-Odd: ;;,,;\"  two\n \t words\nX-Odd: 2\n\n")
        let fields = request.headers.all(HeaderName("x-odd"))
        #expect(fields.map { String(decoding: $0.raw, as: UTF8.self) } == [";;,,;\"  two\r\n \t words", "2"])
        #expect(fields[0].text == ";;,,;\"  two words")
        let again = String(decoding: request.bytes, as: UTF8.self)
        #expect(again.contains("X-Odd: ;;,,;\"  two\r\n \t words\r\nX-Odd: 2\r\n"))
    }

    @Test("what is written and parsed again is the same message") func roundTrip() throws {
        let first = try request(Self.head + "Content-Type: text/plain\nContent-Length: 3\n\nabcdef")
        #expect(first.body == Array("abc".utf8))
        guard case .message(.request(let second)) = parser.parse(first.bytes) else {
            Issue.record("not parsed again")
            return
        }
        #expect(second.body == first.body)
        #expect(
            second.headers.fields.filter { $0.name != .contentLength }
                == first.headers.fields.filter { $0.name != .contentLength })
    }

    @Test("limits: 64 KiB, 8 KiB a line, 256 fields; what is beyond is dropped without an answer") func limits() {
        let long = Self.head + "Subject: " + String(repeating: "x", count: 8193) + "\n\n"
        let many = Self.head + String(repeating: "A: b\n", count: 252) + "\n"
        let folded = Self.head + "Subject: x\n" + String(repeating: " y\n", count: 5000) + "\n"
        let huge = Self.head + "\n" + String(repeating: "x", count: 70_000)
        for text in [long, many, folded, huge] {
            guard case .rejected(.tooLarge, nil) = parser.parse(wire(text)) else {
                Issue.record("taken: \(text.prefix(200))")
                continue
            }
        }
        guard case .message = parser.parse(wire(Self.head + String(repeating: "A: b\n", count: 251) + "\n")) else {
            Issue.record("256 fields are allowed")
            return
        }
    }

    @Test("line ends alone are a keep-alive; before a message they are passed over") func keepAlive() {
        guard case .keepAlive = parser.parse(wire("\n\n")) else {
            Issue.record("no keep-alive")
            return
        }
        guard case .message = parser.parse(wire("\n\n" + Self.head + "\n")) else {
            Issue.record("line ends harmed the message behind them")
            return
        }
    }

    @Test("a rejected request is answered with what is sound, an ACK never", arguments: ["INVITE", "ACK"])
    func rejection(method: String) {
        let text = """
            \(method) sip:a@example.com SIP/2.0
            Via: SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK1
            From: <sip:b@example.com>;tag=1
            To: "open <sip:a@example.com>
            Call-ID: x
            CSeq: 1 \(method)


            """
        guard case .rejected(.badAddress, let answer) = parser.parse(wire(text)) else {
            Issue.record("taken")
            return
        }
        #expect((answer == nil) == (method == "ACK"))
        guard let answer else { return }
        #expect(answer.status == 400)
        #expect(answer.headers.first(.to) == nil)
        #expect(answer.headers.callID == "x")
    }

    @Test("no value of ours can start a line of its own") func injection() throws {
        var request = try request(Self.head + "\n")
        request.headers.append(.subject, "hello\r\nEvil: yes")
        let text = String(decoding: request.bytes, as: UTF8.self)
        #expect(!text.contains("\r\nEvil"))
        let response = Response(status: 200, reason: "OK\r\nEvil: yes")
        #expect(!String(decoding: response.bytes, as: UTF8.self).contains("\r\nEvil"))
    }
}
