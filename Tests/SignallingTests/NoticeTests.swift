import Glibc
import Signalling
import Testing

@Suite("Keys by INFO, texts and voice messages") struct NoticeTests {
    @Test(
        "a key by INFO, in both forms that are in use",
        arguments: [
            ("application/dtmf-relay", "Signal=5\r\nDuration=160\r\n", "5"), ("application/dtmf-relay", "Signal= * \r\n", "*"),
            ("application/dtmf-relay", "Duration=100\nsignal=11\n", "#"), ("application/dtmf", "7", "7"),
            ("application/dtmf", " d\r\n", "D"), ("application/dtmf", "", nil), ("application/dtmf", "12", nil),
            ("application/dtmf-relay", "Signal=\r\n", nil), ("application/dtmf-relay", "Signal", nil),
            ("application/dtmf-relay", "\u{0}\u{ff}", nil), ("text/plain", "5", nil),
        ] as [(String, String, Character?)])
    func keys(type: String, body: String, digit: Character?) {
        #expect(KeyByINFO.digit(mediaType: type, body: Array(body.utf8)) == digit)
    }

    @Test("a key by INFO is told as it was pressed", arguments: Array("0123456789*#ABCD"))
    func keyAsPressed(digit: Character) {
        #expect(KeyByINFO.digit(mediaType: "application/dtmf-relay", body: Array(KeyByINFO.relay(digit).utf8)) == digit)
    }

    @Test(
        "what a server says of voice messages",
        arguments: [
            (
                "Messages-Waiting: yes\r\nMessage-Account: sip:a@b\r\nVoice-Message: 2/8 (0/2)\r\n",
                MessageSummary(isWaiting: true, new: 2, old: 8)
            ),
            ("messages-waiting:no", MessageSummary(isWaiting: false)),
            (
                "Messages-Waiting : yes\r\nVoice-Message\t:\t2 / 8 (0/2)\r\n",
                MessageSummary(isWaiting: true, new: 2, old: 8)
            ),
            ("Messages-Waiting: yes\nVoice-Message: many/few\n", MessageSummary(isWaiting: true)),
            ("Voice-Message: 2/8", nil), ("", nil),
        ] as [(String, MessageSummary?)])
    func summaries(body: String, summary: MessageSummary?) {
        let type = "application/simple-message-summary"
        #expect(MessageSummary(mediaType: type, body: Array(body.utf8)) == summary)
        #expect(MessageSummary(mediaType: "text/plain", body: Array(body.utf8)) == nil)
    }

    @Test("a text is told, a flood of them is cut off with a warning, and a stranger's is refused") func texts() async throws {
        let phone = try Phone()
        let closed = try Phone { $0.callers = .listed([]) }
        try await withPhones(phone, closed) { phone, closed in
            let sender = try Datagrams(to: phone.port)
            for number in 0..<60 { sender.send(Self.text("hello \(number)", number)) }
            let first = try await phone.wait("a text") { if case .message(let text) = $0 { text } else { nil } }
            #expect(first.text.hasPrefix("hello ") && first.from == "sip:ann@example.com" && first.name == "Ann")
            _ = try await phone.wait("that there are more") { if case .warning(nil, let text) = $0 { text } else { nil } }
            let told = phone.events.filter { if case .message = $0 { true } else { false } }
            #expect(told.count == 20)

            let stranger = try Datagrams(to: closed.port)
            stranger.send(Self.text("buy", 1))
            #expect(stranger.answer()?.hasPrefix("SIP/2.0 403") == true)
            #expect(closed.events.isEmpty)
        }
    }

    @Test(
        "a text in UTF-16 is read in the order of octets that it names",
        arguments: [("utf-16", "\u{0}h\u{0}i"), ("UTF-16BE", "\u{0}h\u{0}i"), ("utf-16le", "h\u{0}i\u{0}")])
    func wideTexts(charset: String, octets: String) async throws {
        try await withPhones(try Phone(), try Phone()) { phone, _ in
            let sender = try Datagrams(to: phone.port)
            sender.send(Self.text(octets, 1, type: "text/plain;charset=\(charset)"))
            let text = try await phone.wait("a text") { if case .message(let text) = $0 { text.text } else { nil } }
            #expect(text == "hi")
        }
    }

    private static func text(_ text: String, _ number: Int, type: String = "text/plain") -> String {
        """
        MESSAGE sip:phone@127.0.0.1 SIP/2.0\r
        Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bKtext\(number);rport\r
        From: "Ann" <sip:ann@example.com>;tag=t\(number)\r
        To: <sip:phone@127.0.0.1>\r
        Call-ID: text-\(number)\r
        CSeq: 1 MESSAGE\r
        Max-Forwards: 70\r
        Content-Type: \(type)\r
        Content-Length: \(text.utf8.count)\r
        \r
        \(text)
        """
    }
}

/// Somebody who sends datagrams by hand.
private final class Datagrams {
    private let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)

    init(to port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    func send(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) } }

    /// What comes back; nil after 20 s.
    func answer() -> String? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, 20_000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
