import SDP
import Testing

@Suite("Refusing") struct RefusalTests {
    func refusal(of offer: SessionDescription, _ configure: (inout Negotiation) -> Void = { _ in }) -> NegotiationError? {
        var made = negotiation(configure: configure)
        let error = #expect(throws: NegotiationError.self) { try made.answer(offer) }
        #expect(made.phase == .idle && made.inForce == nil && made.offered == nil, "nothing has changed")
        return error
    }

    @Test("video and the rest are refused politely: their lines keep place, media, protocol and formats, with port 0")
    func otherMedia() throws {
        var made = negotiation()
        let answer = try made.answer(
            try description(
                "m=video 6000 RTP/AVP 99", "a=rtpmap:99 H264/90000", "a=mid:v", "m=audio 5000 RTP/AVP 0",
                "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "m=image 7000 udptl t38", "m=audio 5002 RTP/AVP 8"))
        #expect(
            answer.lines.filter { $0.hasPrefix("m=") } == [
                "m=video 0 RTP/AVP 99", "m=audio 40000 RTP/AVP 0", "m=application 0 UDP/DTLS/SCTP webrtc-datachannel",
                "m=image 0 udptl t38", "m=audio 0 RTP/AVP 8",
            ])
        #expect(answer.lines(ofMedia: 0) == ["m=video 0 RTP/AVP 99", "a=mid:v"])
        let receipt = try #require(made.receipt)
        let why = receipt.rows.filter { $0.inForce == nil && $0.answered == "port 0" }.map(\.why)
        #expect(
            why == [
                .refused(.notAudio("video")), .refused(.notAudio("application")), .refused(.notAudio("image")),
                .refused(.secondAudio),
            ])
    }

    @Test("the first audio line that can be used is used")
    func firstUsable() throws {
        var made = negotiation()
        let answer = try made.answer(
            try description(
                "m=audio 5000 RTP/SAVP 0", "m=audio 0 RTP/AVP 0", "m=audio 5002 RTP/AVP 18", "m=audio 5004 RTP/AVP 8"))
        #expect(answer.media.map(\.port) == [0, 0, 0, 40_000])
        #expect(made.inForce?.line == 3)
    }

    @Test("without a common codec the offer is refused: 488 with Warning 305, and the receipt says what was offered")
    func noCommonCodec() throws {
        let error = refusal(of: try description("m=audio 5000 RTP/AVP 18 97 98", "a=rtpmap:97 iLBC/8000"))
        guard case .offerRefused(.noCommonCodec, let receipt)? = error else { throw Mismatch() }
        #expect(error?.warning?.code == 305)
        #expect(
            receipt.rows.map(\.why) == [.refused(.noCommonCodec), .notOurs, .notOurs, .unknownNumber])
        #expect(receipt.rows.map(\.subject.description) == ["audio", "G729/8000", "iLBC/8000", "payload type 98"])
    }

    @Test("events alone are no sound")
    func onlyEvents() throws {
        let offer = try description("m=audio 5000 RTP/AVP 101 13", "a=rtpmap:101 telephone-event/8000")
        #expect(refusal(of: offer)?.warning?.code == 305)
    }

    @Test(
        "an offer of nothing that we do is refused with its reason",
        arguments: [
            ("m=video 6000 RTP/AVP 99", 304), ("m=audio 5000 RTP/SAVP 0", 302),
            ("m=audio 5000 UDP/TLS/RTP/SAVPF 0", 302),
            ("m=audio 5000 udp 0", 302),
        ])
    func unusable(line: String, warning: Int) throws {
        let error = refusal(of: try description(line))
        #expect(error?.warning?.code == warning)
        #expect(error?.description.isEmpty == false)
    }

    @Test("keys beside a plain line are read and left alone")
    func optionalKeys() throws {
        var made = negotiation()
        let answer = try made.answer(
            try description("m=audio 5000 RTP/AVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abcd"))
        #expect(!answer.text.contains("crypto"))
        #expect(made.inForce != nil)
    }

    @Test("an offer with only ports 0, or no line at all, is answered so; there is no audio")
    func nothingOffered() throws {
        for lines in [["m=audio 0 RTP/AVP 0", "m=video 0 RTP/AVP 99"], []] {
            var made = negotiation()
            let answer = try made.answer(lines.isEmpty ? try description() : try description(lines[0], lines[1]))
            #expect(answer.media.map(\.port) == lines.map { _ in 0 })
            #expect(made.inForce == nil)
            #expect(made.phase == .agreed)
        }
    }

    @Test(
        "media is not sent to addresses that are no host's",
        arguments: [
            ("224.0.1.1", MediaAddressRefusal.multicast("224.0.1.1")),
            ("255.255.255.255", .broadcast("255.255.255.255")),
            ("240.0.0.1", .broadcast("240.0.0.1")), ("0.1.2.3", .thisNetwork("0.1.2.3")),
            ("127.0.0.1", .loopback("127.0.0.1")),
            ("host.example.com", .notNumeric("host.example.com")), ("192.0.2.999", .notNumeric("192.0.2.999")),
            ("192.0.2.1.", .notNumeric("192.0.2.1.")),
        ])
    func addresses(address: String, expected: MediaAddressRefusal) throws {
        let error = refusal(of: try description("m=audio 5000 RTP/AVP 0", "c=IN IP4 \(address)"))
        guard case .offerRefused(let why, _)? = error else { throw Mismatch() }
        #expect(why == .address(expected))
        #expect(error?.warning != nil)
    }

    @Test(
        "nor to such IPv6 addresses, also when they map an IPv4 one",
        arguments: ["ff02::1", "::1", "::ffff:224.0.0.1", "::ffff:127.0.0.1", "::ffff:255.255.255.255", "fe80::1%eth0"])
    func addressesOfVersion6(address: String) throws {
        let offer = try description("m=audio 5000 RTP/AVP 0", "c=IN IP6 \(address)")
        guard case .offerRefused(.address, _)? = refusal(of: offer, { $0.local.address = "2001:db8::1" }) else {
            throw Mismatch()
        }
    }

    @Test("nor where a=rtcp points to such a place")
    func controlAddress() throws {
        let offer = try description("m=audio 5000 RTP/AVP 0", "a=rtcp:5001 IN IP4 239.0.0.1")
        guard case .offerRefused(.address(.multicast("239.0.0.1")), _)? = refusal(of: offer) else { throw Mismatch() }
    }

    @Test("nor to services of this machine; loopback only when that is allowed")
    func ownServices() throws {
        let offer = try description("m=audio 5060 RTP/AVP 0", "c=IN IP4 127.0.0.1")
        var made = negotiation(address: "127.0.0.1") { $0.policy.allowsLoopback = true }
        _ = try made.answer(offer)
        let own: Set = [MediaEndpoint(address: "127.0.0.1", port: 5060)]
        let error = refusal(of: offer) { $0.policy = MediaAddressPolicy(allowsLoopback: true, ownServices: own) }
        guard case .offerRefused(.address(.ownService), _)? = error else { throw Mismatch() }
    }

    @Test("an address of the other family, a network that is not the internet, or no address: Warning 301")
    func family() throws {
        for line in ["c=IN IP6 2001:db8::2", "c=ATM NSAP 47.0091", "c=IN IP5 1.2.3"] {
            #expect(refusal(of: try description("m=audio 5000 RTP/AVP 0", line))?.warning?.code == 301)
        }
        let bare = try SessionDescription(parsing: "v=0\no=- 1 1 IN IP4 192.0.2.1\nm=audio 5000 RTP/AVP 0")
        #expect(refusal(of: bare)?.warning?.code == 301)
    }

    @Test(
        "an answer that does not fit the offer is refused",
        arguments: [["m=video 5000 RTP/AVP 0"], [], ["m=audio 5000 RTP/AVP 0", "m=audio 5000 RTP/AVP 0"]])
    func misfit(lines: [String]) throws {
        var made = negotiation()
        _ = try made.makeOffer()
        let answer = try SessionDescription(
            parsing: (["v=0", "o=- 1 1 IN IP4 192.0.2.9", "c=IN IP4 192.0.2.9"] + lines).joined(separator: "\n"))
        guard
            case .answerDoesNotFit? = #expect(
                throws: NegotiationError.self, performing: { try made.receive(answer: answer) })
        else { throw Mismatch() }
    }

    @Test(
        "an answer that cannot be used says why",
        arguments: [
            ("m=audio 0 RTP/AVP 0", LineRefusal.refusedByPeer), ("m=audio 5000 RTP/AVP 18", .noCommonCodec),
            ("m=audio 5000 RTP/SAVP 0", .encryption("RTP/SAVP")),
        ])
    func unusableAnswer(line: String, expected: LineRefusal) throws {
        var made = negotiation()
        _ = try made.makeOffer()
        let answer = try description(line)
        guard
            case .answerUnusable(let why, let receipt)? = #expect(
                throws: NegotiationError.self, performing: { try made.receive(answer: answer) })
        else { throw Mismatch() }
        #expect(why == expected)
        #expect(receipt.rows.map(\.why) == [.refused(expected)])
    }

    @Test("an answer may not lead media to a multicast address either")
    func answerAddress() throws {
        var made = negotiation()
        _ = try made.makeOffer()
        let answer = try description("m=audio 5000 RTP/AVP 0", address: "239.1.1.1")
        guard
            case .answerUnusable(.address(.multicast), _)? = #expect(
                throws: NegotiationError.self, performing: { try made.receive(answer: answer) })
        else { throw Mismatch() }
    }
}
