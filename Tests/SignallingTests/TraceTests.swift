import Signalling
import Testing

@Suite("What a trace of signalling shows") struct TraceTests {
    private func shown(_ text: String) -> String {
        TracedMessage(
            .sent, transport: "udp", remote: "192.0.2.1:5060", octets: Array(text.utf8)
        ).text
    }

    @Test("a message without secrets is shown as it is, line by line")
    func plain() {
        let text = "OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP c;branch=z9hG4bKresponse=1\r\n\r\n"
        #expect(shown(text) == "OPTIONS sip:a@b SIP/2.0\nVia: SIP/2.0/UDP c;branch=z9hG4bKresponse=1\n\n")
        #expect(shown("a\rb\r") == "a\\x0db\\x0d")
        #expect(shown("") == "")
    }

    @Test(
        "digests are masked, quoted or not, folded, in any case and place",
        arguments: [
            "Authorization: Digest username=\"u\", response=\"0123456789abcdef\", uri=\"sip:b\"\r\n",
            "authorization : Digest username=\"u\",RESPONSE = \"0123456789abcdef\"\r\n",
            "Proxy-Authorization: Digest response=0123456789abcdef,username=\"u\"\r\n",
            "Proxy-Authorization: Digest username=\"u\",\r\n  response=\"0123456789abcdef\"\r\nX: y\r\n",
            "Authentication-Info: qop=auth, rspauth=\"0123456789abcdef\"\r\n",
            "Authorization: Digest username=\"u\", response=\"0123456789abcdef",
            "Authorization: Digest username=\"u\", response=\"01\\\"23456789abcdef\"\r\n",
            "Authorization: Basic 0123456789abcdef\r\n",
            "Authorization:Bearer 0123456789abcdef",
            "Authorization:\r\n Basic 0123456789abcdef\r\nX: y\r\n",
            "Authorization: Basic\r\n\t0123456789abcdef\r\n",
        ])
    func digests(field: String) {
        let text = shown("REGISTER sip:b SIP/2.0\r\n" + field)
        #expect(!text.contains("3456789abcdef"), "\(text)")
        #expect(text.contains(SecretMask.mark))
        #expect(field.contains("username") ? text.contains("username=\"u\"") : true)
        #expect(field.contains("X: y") ? text.contains("\nX: y\n") : true)
    }

    @Test(
        "keys of the session are masked",
        arguments: [
            "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0c2VjcmV0|2^20|1:32 KDR=1\r\n",
            "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0c2VjcmV0;inline:c2VjcmV0c2VjcmV0\r\n",
            "a=ice-pwd:c2VjcmV0c2VjcmV0\r\n", "k=base64:c2VjcmV0c2VjcmV0\r\n", "k=base64:c2VjcmV0c2VjcmV0",
        ])
    func keys(line: String) {
        let text = shown("v=0\r\n" + line + "a=sendrecv\r\n")
        #expect(!text.contains("c2Vjcm"), "\(text)")
        #expect(text.contains(SecretMask.mark))
    }

    @Test("a long line of beginnings of URIs is soon gone through", arguments: ["", "a:b@h", " x:y@z"])
    func long(end: String) {
        let begin = String(repeating: "sip:", count: 15_000)
        #expect(shown(begin + end) == (end == "a:b@h" ? "sip:sip:***@h" : begin + end))
    }

    @Test("the password of a URI is masked, its user and host stay")
    func passwords() {
        #expect(
            shown("INVITE sip:alice:geheim@example.com SIP/2.0\r\nTo: <sips:bob:x@h:5061>;tag=1\r\n")
                == "INVITE sip:alice:***@example.com SIP/2.0\nTo: <sips:bob:***@h:5061>;tag=1\n")
        #expect(
            shown("Contact: <sip:alice@example.com:5061>, <sip:h:5060>")
                == "Contact: <sip:alice@example.com:5061>, <sip:h:5060>")
    }

    @Test("what could drive a terminal is escaped; letters of other scripts are not")
    func escapes() {
        let text = shown("From: \"\u{1b}[31mred\u{7}\u{202e}\" <sip:a@b>\r\nSubject: Grüße, \u{4f60}\u{597d}\r\n")
        #expect(!text.contains("\u{1b}") && !text.contains("\u{7}") && !text.contains("\u{202e}"))
        #expect(text.contains("\\x1b[31mred\\x07\\x202e"))
        #expect(text.contains("Grüße, \u{4f60}\u{597d}"))
    }

    @Test("octets that are no text are shown, not lost", arguments: [1, 2, 3] as [UInt64])
    func anything(seed: UInt64) {
        var state = seed
        for _ in 0..<2000 {
            let octets = (0..<Int(state % 97)).map { index -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let pool = Array("authorization: response=\"ab\", inline:\r\n \tk=a=crypto:sip:u:p@h".utf8) + [0, 200, 27]
                return pool[Int(state >> 33) % pool.count]
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let message = TracedMessage(.received, transport: "tcp", remote: "192.0.2.1:1", octets: octets)
            let lines = { (bytes: [UInt8]) in bytes.count { $0 == 10 } }
            #expect(lines(Array(message.text.utf8)) == lines(octets), "seed \(seed)")
        }
    }
}
