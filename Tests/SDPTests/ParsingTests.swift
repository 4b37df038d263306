import SDP
import Testing

@Suite("Reading a session description") struct ParsingTests {
    static let head = "v=0\r\no=- 1 1 IN IP4 192.0.2.10\r\ns=-\r\nc=IN IP4 192.0.2.10\r\nt=0 0\r\n"

    func refusal(_ body: String, limits: SDPLimits = SDPLimits()) -> SDPParseError? {
        #expect(throws: SDPParseError.self) { try SessionDescription(parsing: body, limits: limits) }
    }

    @Test("the example of RFC 8866 section 5 is read and printed back line by line")
    func example() throws {
        let body = """
            v=0
            o=jdoe 3724394400 3724394405 IN IP4 198.51.100.1
            s=Call to John Smith
            i=SDP Offer #1
            u=http://www.jdoe.example.com/home.html
            e=Jane Doe <jane@jdoe.example.com>
            p=+1 617 555-6011
            c=IN IP4 198.51.100.1
            t=0 0
            m=audio 49170 RTP/AVP 0
            m=audio 49180 RTP/AVP 0
            m=video 51372 RTP/AVP 99
            c=IN IP6 2001:db8::2
            a=rtpmap:99 h263-1998/90000

            """
        let read = try SessionDescription(parsing: body)
        #expect(read.origin.username == "jdoe")
        #expect(read.origin.sessionVersion == "3724394405")
        #expect(read.sessionName == "Call to John Smith")
        #expect(read.media.map(\.port) == [49_170, 49_180, 51_372])
        #expect(read.media[2].connections == [Connection(address: "2001:db8::2")])
        #expect(read.lines == body.split(separator: "\n").map(String.init))
        #expect(read.text.hasSuffix("90000\r\n"))
    }

    @Test("lines that end with LF alone, or a last line without an end, are read")
    func lineEnds() throws {
        let read = try SessionDescription(parsing: "v=0\no=- 1 1 IN IP4 192.0.2.1\nm=audio 1000 RTP/AVP 0")
        #expect(read.media.count == 1)
        #expect(read.sessionName == "-")
        #expect(read.timings == ["0 0"])
    }

    @Test(
        "a format outside the token set is refused, at once: sofia-sip hangs on it",
        arguments: ["0 \u{7f}", "0 (", "\"0\" 8", "0,8", "0 8\t", "0 é", "0 96/1", "[ 0"])
    func formatOutsideTheTokenSet(formats: String) {
        #expect(refusal("\(Self.head)m=audio 49170 RTP/AVP \(formats)\r\n") == SDPParseError(.media("format"), line: 6))
    }

    @Test(
        "a media line with a part missing or out of range is refused with the part's name",
        arguments: [
            ("m=audio", "port"), ("m=", "media"), ("m=audio 65536 RTP/AVP 0", "port"), ("m=audio -1 RTP/AVP 0", "port"),
            ("m=audio 49170/x RTP/AVP 0", "port"), ("m=audio 49170", "protocol"),
            ("m=audio 49170 RTP//AVP 0", "protocol"),
            ("m=audio 49170 RTP/AVP", "format"), ("m=au/dio 1 RTP/AVP 0", "media"),
            ("m=audio 99999999999999999999999 RTP/AVP 0", "port"),
        ])
    func mediaLine(line: String, part: String) {
        #expect(refusal(Self.head + line + "\r\n")?.reason == .media(part))
    }

    static let refused: [(String, SDPParseError.Reason, Int)] = [
        ("", .version, 1), ("hello", .notAField, 1), ("v=1\r\n", .version, 1),
        ("o=- 1 1 IN IP4 192.0.2.1\r\nv=0", .version, 1), ("v=0\r\ns=-\r\n", .noOrigin, 0),
        ("v=0\r\no=- 1 1 IN\r\n", .origin, 2), ("v=0\r\no=- 1 1 IN IP4 192.0.2.1 more\r\n", .origin, 2),
        ("\(head)c=IN IP4 192.0.2.1\r\n", .repeated("c"), 6), ("\(head)v=0\r\n", .repeated("v"), 6),
        ("\(head)b=AS\r\n", .bandwidth, 6), ("\(head)b=AS:-1\r\n", .bandwidth, 6),
        ("\(head)b=AS:18446744073709551616\r\n", .bandwidth, 6),
        ("\(head)m=audio 1 RTP/AVP 0\r\nc=IN\r\n", .connection, 7), ("\(head)a\r\n", .notAField, 6),
        ("\(head)=x\r\n", .notAField, 6), ("\(head)a=x\ry\r\n", .controlCharacter, 6),
        ("\(head)a=x\0y\r\n", .controlCharacter, 6),
    ]

    @Test("what is no session description is refused, with line and reason", arguments: refused)
    func refusals(body: String, reason: SDPParseError.Reason, line: Int) {
        #expect(refusal(body) == SDPParseError(reason, line: line))
    }

    @Test("each limit is kept: one more is refused, the limit itself is not")
    func limits() throws {
        let limits = SDPLimits(bytes: 400, lines: 10, lineBytes: 60, media: 2, formats: 3)
        func read(_ tail: String) throws { _ = try SessionDescription(parsing: Self.head + tail, limits: limits) }
        try read("m=audio 1 RTP/AVP 0 1 2\r\nm=audio 1 RTP/AVP 0\r\n")
        #expect(refusal(Self.head + "m=audio 1 RTP/AVP 0 1 2 3\r\n", limits: limits)?.reason == .tooMany("formats"))
        #expect(
            refusal(Self.head + String(repeating: "m=audio 1 RTP/AVP 0\r\n", count: 3), limits: limits)?.reason
                == .tooMany("media lines"))
        try read(String(repeating: "a=x\r\n", count: 5))
        #expect(
            refusal(Self.head + String(repeating: "a=x\r\n", count: 6), limits: limits)?.reason == .tooMany("lines"))
        try read("a=" + String(repeating: "x", count: 58) + "\r\n")
        #expect(refusal(Self.head + "a=" + String(repeating: "x", count: 59), limits: limits)?.reason == .lineTooLong)
        #expect(refusal(Self.head + String(repeating: "\n", count: 400), limits: limits)?.reason == .tooMany("bytes"))
    }

    @Test("lines and attributes that are unknown are kept in their order")
    func unknownLinesAndAttributes() throws {
        let body =
            Self.head + "r=7d 1h 0\r\nx=what\r\nk=prompt\r\na=tool:thing 1.0\r\na=\r\na=z:\r\n"
            + "m=audio 1 RTP/AVP 0\r\ny=1\r\na=b:2\r\na=a:1\r\n"
        let read = try SessionDescription(parsing: body)
        #expect(
            read.attributes == [
                .other(name: "tool", value: "thing 1.0"), .other(name: "", value: nil), .other(name: "z", value: ""),
            ])
        #expect(read.otherLines.map(\.value) == ["7d 1h 0", "what", "prompt"])
        #expect(read.media[0].attributes == [.other(name: "b", value: "2"), .other(name: "a", value: "1")])
        #expect(read.text == body)
    }

    @Test("text that is not UTF-8 is read as ISO 8859-1 and printed as UTF-8")
    func oldText() throws {
        var body = Array("v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=M".utf8)
        body += [0xfc] + Array("ller\r\n".utf8)
        let read = try SessionDescription(parsing: body)
        #expect(read.sessionName == "Müller")
        #expect(try SessionDescription(parsing: read.bytes) == read)
    }

    @Test("no value ends its line early when it is printed")
    func noInjection() throws {
        var made = try SessionDescription(parsing: Self.head)
        made.sessionName = "x\r\na=sendonly"
        made.attributes = [.source(SourceAttribute(ssrc: 1, attribute: "cname", value: "a\nm=audio 1 RTP/AVP 0"))]
        #expect(made.lines.contains("s=x  a=sendonly"))
        #expect(try SessionDescription(parsing: made.bytes).media.isEmpty)
    }

    @Test("an o= line without a user name, as some devices send, is read")
    func emptyUserName() throws {
        let read = try SessionDescription(parsing: "v=0\r\no= 5 6 IN IP4 192.0.2.1\r\n")
        #expect(read.origin == Origin(sessionID: "5", sessionVersion: "6", addressType: "IP4", address: "192.0.2.1"))
    }
}
