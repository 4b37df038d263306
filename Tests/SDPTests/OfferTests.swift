import SDP
import Testing

@Suite("Making an offer") struct OfferTests {
    @Test("an offer lists the codecs in order, events for each clock, comfort noise, and where to send")
    func wholeOffer() throws {
        var made = negotiation {
            $0.local.ssrc = 7
            $0.local.cname = "a@b"
            $0.capabilities.bandwidths = [Bandwidth(.rtcpReceivers, 2000)]
            $0.capabilities.maximumPacketTime = 120
        }
        #expect(
            try made.makeOffer().lines == [
                "v=0", "o=- 1000 1000 IN IP4 192.0.2.1", "s=-", "c=IN IP4 192.0.2.1", "t=0 0",
                "m=audio 40000 RTP/AVP 111 0 8 102 101 13", "b=RR:2000", "a=rtpmap:111 opus/48000/2",
                "a=fmtp:111 useinbandfec=1", "a=rtpmap:0 PCMU/8000", "a=rtpmap:8 PCMA/8000",
                "a=rtpmap:102 telephone-event/48000", "a=fmtp:102 0-16", "a=rtpmap:101 telephone-event/8000",
                "a=fmtp:101 0-16", "a=rtpmap:13 CN/8000", "a=ptime:20", "a=maxptime:120", "a=sendrecv", "a=rtcp-mux",
                "a=ssrc:7 cname:a@b",
            ])
        #expect(made.phase == .offered)
        #expect(made.answered == nil && made.inForce == nil)
    }

    @Test("an offer over IPv6 says so")
    func addressFamily() throws {
        var made = negotiation(address: "2001:db8::1")
        let offer = try made.makeOffer()
        #expect(offer.lines.contains("c=IN IP6 2001:db8::1"))
        #expect(offer.origin.addressType == "IP6")
    }

    @Test("what is not wanted is not offered: events, noise, a shared port")
    func less() throws {
        var made = negotiation(codecs: [.pcma]) {
            $0.capabilities.telephoneEvents = nil
            $0.capabilities.comfortNoise = false
            $0.capabilities.rtcpMux = false
        }
        let offer = try made.makeOffer()
        #expect(offer.media[0].formats == ["8"])
        #expect(!offer.media[0].attributes.contains(.rtcpMux))
    }

    @Test(
        "RTCP elsewhere than on the next port is told",
        arguments: [(40_000, 41_000), (40_000, 40_000), (65_535, 65_535)] as [(UInt16, UInt16)])
    func controlPort(port: UInt16, control: UInt16) throws {
        var made = negotiation(port: port, controlPort: control)
        #expect(try made.makeOffer().lines.contains("a=rtcp:\(control)"))
    }

    @Test("L16 and events of its clock get payload types that nothing else has")
    func freePayloadTypes() throws {
        var made = negotiation(codecs: [.l16(rate: 16_000), .l16(rate: 44_100), .opus(parameters: fec, bitRate: 1)])
        let offer = try made.makeOffer()
        #expect(offer.media[0].formats.first == "96")
        #expect(Set(offer.media[0].formats).count == offer.media[0].formats.count)
        #expect(offer.lines.contains("a=rtpmap:11 L16/44100"))
        #expect(offer.lines.contains { $0.hasSuffix(" telephone-event/16000") })
        #expect(offer.lines.contains { $0.hasSuffix(" telephone-event/44100") })
    }

    @Test("without a codec there is nothing to offer")
    func nothing() {
        var made = negotiation(codecs: [])
        #expect(throws: NegotiationError.nothingToOffer) { try made.makeOffer() }
        #expect(made.phase == .idle)
    }

    @Test("a second offer has to wait for the first one's answer; an offer that comes meanwhile too")
    func oneAtATime() throws {
        var made = negotiation()
        _ = try made.makeOffer()
        #expect(throws: NegotiationError.offerPending) { try made.makeOffer() }
        #expect(throws: NegotiationError.offerPending) { try made.answer(try description("m=audio 5000 RTP/AVP 0")) }
        made.withdrawOffer()
        #expect(made.phase == .idle)
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0"))
        #expect(made.inForce?.sending.codec == .pcmu)
    }

    @Test("what an unanswered offer may bring in is known, for early media")
    func earlyMedia() throws {
        var made = negotiation()
        _ = try made.makeOffer()
        #expect(made.receivableWhileOffered[111] == .opus)
        #expect(made.receivableWhileOffered[0] == .pcmu)
        try made.receive(answer: try description("m=audio 5000 RTP/AVP 0"))
        #expect(made.receivableWhileOffered.isEmpty)
    }
}
