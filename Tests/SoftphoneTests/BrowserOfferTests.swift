import Codecs
import ICE
import Link
import SDP
import SecureRTP
import Signalling
import Softphone
import Testing

/// What Chromium 156 offers for a microphone, before it knows its candidates.
private let chromium = """
    v=0
    o=- 4962303333179871722 2 IN IP4 127.0.0.1
    s=-
    t=0 0
    a=group:BUNDLE 0
    a=extmap-allow-mixed
    a=msid-semantic: WMS stream
    m=audio 9 UDP/TLS/RTP/SAVPF 111 63 9 0 8 13 110 126
    c=IN IP4 0.0.0.0
    a=rtcp:9 IN IP4 0.0.0.0
    a=ice-ufrag:4ZcD
    a=ice-pwd:2/1muCWoOi3uLifh0NuRHlig
    a=ice-options:trickle
    a=fingerprint:sha-256 19:E2:1C:3B:4B:9F:81:E6:B8:5C:F4:A5:A8:D8:73:04:BB:05:2F:70:9F:04:A9:0E:05:E9:26:33:E8:70:88:A2
    a=setup:actpass
    a=mid:0
    a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level
    a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01
    a=sendrecv
    a=msid:stream track
    a=rtcp-mux
    a=rtcp-rsize
    a=rtpmap:111 opus/48000/2
    a=rtcp-fb:111 transport-cc
    a=fmtp:111 minptime=10;useinbandfec=1
    a=rtpmap:63 red/48000/2
    a=fmtp:63 111/111
    a=rtpmap:9 G722/8000
    a=rtpmap:0 PCMU/8000
    a=rtpmap:8 PCMA/8000
    a=rtpmap:13 CN/8000
    a=rtpmap:110 telephone-event/48000
    a=rtpmap:126 telephone-event/8000
    a=ssrc:3735928559 cname:abcdefghijklmnop
    a=candidate:1 1 udp 2122260223 192.0.2.7 50000 typ host generation 0 network-id 1
    a=candidate:2 1 tcp 1518280447 192.0.2.7 9 typ host tcptype active generation 0

    """

@Suite("A browser's offer") struct BrowserOfferTests {
    private func read(_ text: String = chromium, mixes: Bool = false) throws -> BrowserOffer {
        let fingerprint = try #require(DTLSFingerprint(.sha256, Array(0..<32)))
        let address = SocketAddress(try IPAddress("192.0.2.1"), port: 4000)
        return try BrowserOffer(
            Array(text.utf8), capabilities: MediaCapabilities(), fingerprint: fingerprint, address: address,
            sessionID: 1 << 40, mixes: mixes)
    }

    private func answer(_ offer: BrowserOffer) throws -> [Substring] {
        let agent = ICEAgent(.controlled)
        agent.gather([try IPAddress("192.0.2.1"), try IPAddress("2001:db8::1")], port: 4000, now: .zero)
        return offer.answer(agent.localCredentials, agent.localCandidates, areComplete: true).split(whereSeparator: \.isNewline)
    }

    @Test("Chromium's is answered with Opus alone, on one port, in its bundle, and the browser begins the handshake")
    func answered() throws {
        let offer = try read()
        let lines = try answer(offer)
        #expect(lines.contains("a=group:BUNDLE 0"))
        #expect(lines.contains("m=audio 4000 UDP/TLS/RTP/SAVPF 111 110"), "\(lines)")
        #expect(lines.contains("a=mid:0"))
        #expect(lines.contains("a=rtcp-mux"))
        #expect(lines.contains("a=setup:passive"))
        #expect(lines.contains("a=sendrecv"))
        #expect(lines.count { $0.hasPrefix("a=fingerprint:sha-256 ") } == 1)
        #expect(lines.count { $0.hasPrefix("a=candidate:") } == 2)
        #expect(lines.contains("a=end-of-candidates"))
        #expect(lines.contains { $0.hasPrefix("a=ice-ufrag:") } && lines.contains { $0.hasPrefix("a=ice-pwd:") })
        #expect(!lines.contains { $0.contains("transport-cc") || $0.contains("red/48000") || $0.hasPrefix("a=extmap") })
        #expect(offer.agreement.codec == .opus && offer.agreement.payloadType == 111 && offer.agreement.redundancy == nil)
        #expect(offer.agreement.telephoneEvents?.payloadType == 110)
        guard case .dtls(.passive, let peer) = offer.agreement.encryption else { return #expect(Bool(false)) }
        #expect(peer.count == 1)
    }

    @Test("where others are heard with it, it is asked how loud it is, under the number that it offers")
    func levels() throws {
        let offer = try read(mixes: true)
        let maps = try answer(offer).filter { $0.hasPrefix("a=extmap") }
        #expect(maps == ["a=extmap:1/recvonly urn:ietf:params:rtp-hdrext:ssrc-audio-level"])
        #expect(offer.agreement.levels.received == 1 && offer.agreement.levels.sent == nil)
        #expect(try !read().agreement.levels.isUsed)
    }

    @Test("its candidates and credentials are read, wherever they stand")
    func candidates() throws {
        let offer = try read()
        #expect(offer.credentials.userFragment == "4ZcD" && !offer.isLite)
        #expect(offer.candidates.count == 2)
        #expect(offer.candidates.first.map { "\($0)".contains("192.0.2.7 50000 typ host") } == true)
        let atTop = chromium.replacing("a=ice-ufrag:4ZcD\n", with: "").replacing(
            "a=extmap-allow-mixed\n", with: "a=ice-ufrag:4ZcD\na=ice-lite\n")
        #expect(try read(atTop).isLite)
    }

    @Test(
        "what a browser's call needs is asked for",
        arguments: [
            ("a=rtcp-mux\n", "rtcp-mux"), ("a=ice-pwd:2/1muCWoOi3uLifh0NuRHlig\n", "ice-pwd"),
            ("a=ice-ufrag:4ZcD\n", "ice-ufrag"),
        ])
    func lacks(line: String, named: String) throws {
        let error = #expect(throws: SoftphoneError.self) { try read(chromium.replacing(line, with: "")) }
        #expect(error?.description.contains(named) == true)
    }

    @Test("an offer that is none, without sound, without certificate or without ICE is refused, never a crash")
    func refused() throws {
        for text in [
            "", "v=0", "hello", chromium.replacing("m=audio", with: "m=video"),
            chromium.replacing("a=fingerprint:sha-256", with: "a=fingerprint:sha-1"),
            chromium.replacing(" 111 63 9 0 8 13 110 126", with: " 126"),
        ] {
            #expect(throws: SoftphoneError.self) { try read(text) }
        }
        // Each line left out, and each cut short.
        let lines = chromium.split(separator: "\n", omittingEmptySubsequences: false)
        for index in lines.indices {
            var fewer = lines
            fewer.remove(at: index)
            _ = try? read(fewer.joined(separator: "\n"))
            var cut = lines
            cut[index] = cut[index].prefix(cut[index].count / 2)
            _ = try? read(cut.joined(separator: "\n"))
        }
    }

    @Test("candidates that come later are taken by their fragment, a restart of ICE with them")
    func trickled() throws {
        let text =
            "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=candidate:1 1 udp 1 192.0.2.9 5 typ host\r\na=end-of-candidates\r\n"
        let fragment = try TrickleFragment(Array(text.utf8), userFragment: "4ZcD")
        #expect(fragment.candidates == [.line("1 1 udp 1 192.0.2.9 5 typ host"), .end])
        let same = try TrickleFragment(Array("a=ice-ufrag:4ZcD\n".utf8), userFragment: "4ZcD")
        #expect(same.candidates.isEmpty && same.restart == nil)
        let password = String(repeating: "p", count: 24)
        let anew = try TrickleFragment(Array("a=ice-ufrag:anew\r\na=ice-pwd:\(password)\r\n".utf8), userFragment: "4ZcD")
        #expect(anew.restart == ICECredentials(userFragment: "anew", password: password))
        let told = try #require(TrickleFragment.text([.line("x"), .end], as: anew.restart))
        #expect(told.contains("a=ice-ufrag:anew\r\n") && told.hasSuffix("a=candidate:x\r\na=end-of-candidates\r\n"))
        #expect(TrickleFragment.text([]) == nil)
        let again = try TrickleFragment(Array("a=ice-ufrag:anew\r\na=ice-pwd:\(password)\r\n".utf8), userFragment: "anew")
        let restart = try #require(anew.restart)
        #expect(again.restart == nil && again.repeats(restart) && !same.repeats(restart))
        #expect(throws: SoftphoneError.self) { try TrickleFragment(Array("a=ice-ufrag:other\n".utf8), userFragment: "4ZcD") }
        #expect(throws: SoftphoneError.self) {
            try TrickleFragment(Array(String(repeating: "a=x\n", count: 600).utf8), userFragment: "4ZcD")
        }
    }

    @Test("a mail box of candidates is bounded")
    func bounded() throws {
        let mail = try PathMail()
        for _ in 0..<100 { mail.leave(Array(repeating: .line("x"), count: 10)) }
        #expect(mail.takeCandidates().count == 128)
        #expect(mail.takeCandidates().isEmpty)
    }
}
