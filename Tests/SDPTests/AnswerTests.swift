import Link
import SDP
import Testing

@Suite("Answering an offer") struct AnswerTests {
    @Test("one codec is answered, the first of the offer that we know, under the offer's payload types")
    func offerersOrder() throws {
        var made = negotiation()
        let answer = try made.answer(
            try description(
                "m=audio 5000 RTP/AVP 18 8 96 101", "a=rtpmap:18 G729/8000", "a=rtpmap:96 opus/48000/2",
                "a=rtpmap:101 telephone-event/8000", "a=ptime:30"))
        #expect(answer.media[0].formats == ["8", "101"])
        #expect(answer.lines(ofMedia: 0).contains("a=ptime:30"))
        let audio = try #require(made.inForce)
        #expect(audio.sending.codec == .pcma)
        #expect(audio.sending.packetTime == 30)
        #expect(audio.remote == MediaEndpoint(address: "192.0.2.10", port: 5000))
        #expect(audio.remoteControl == MediaEndpoint(address: "192.0.2.10", port: 5001))
        #expect(audio.receiving == [8: .pcma, 101: .telephoneEvent(rate: 8000)])
    }

    @Test("our own order decides when that is set")
    func ownOrder() throws {
        var made = negotiation { $0.capabilities.preference = .own }
        let answer = try made.answer(
            try description(
                "m=audio 5000 RTP/AVP 0 8 96", "a=rtpmap:96 opus/48000/2", "a=fmtp:96 maxaveragebitrate=20000"))
        #expect(answer.media[0].formats == ["96"])
        #expect(answer.lines.contains("a=fmtp:96 useinbandfec=1"))
        #expect(made.inForce?.sending.parameters == "maxaveragebitrate=20000")
        #expect(made.inForce?.sending.maximumBitRate == 20_000)
    }

    @Test("all common codecs are answered when that is set, and any of them may arrive")
    func allCodecs() throws {
        var made = negotiation { $0.capabilities.answersWithOneCodec = false }
        let answer = try made.answer(try description("m=audio 5000 RTP/AVP 0 3 8 13"))
        #expect(answer.media[0].formats == ["0", "8", "13"])
        #expect(made.inForce?.receiving == [0: .pcmu, 8: .pcma, 13: .comfortNoise()])
        #expect(made.inForce?.sending.comfortNoise == 13)
    }

    @Test("static payload types need no rtpmap; names are compared without case; Opus without channels is Opus")
    func spellings() throws {
        for (lines, codec) in [
            (["m=audio 5000 RTP/AVP 9"], AudioCodec.g722),
            (["m=audio 5000 RTP/AVP 97", "a=rtpmap:97 pcma/8000"], .pcma),
            (["m=audio 5000 RTP/AVP 97", "a=rtpmap:97 OPUS/48000"], .opus(parameters: fec, bitRate: 28_000)),
            (["m=audio 5000 RTP/AVP 97", "a=rtpmap:97 PCMU/8000/1"], .pcmu),
        ] {
            var made = negotiation(codecs: [.opus(parameters: fec, bitRate: 28_000), .pcma, .pcmu, .g722])
            _ = try made.answer(try description(lines[0], lines.count > 1 ? lines[1] : "a=x"))
            #expect(made.inForce?.sending.codec == codec)
        }
    }

    @Test(
        "the same name with another clock or other channels is another codec",
        arguments: ["PCMU/16000", "PCMU/8000/2", "L16/8000"])
    func otherClock(format: String) throws {
        var made = negotiation(codecs: [.pcmu, .l16(rate: 16_000)])
        let offer = try description("m=audio 5000 RTP/AVP 97", "a=rtpmap:97 \(format)")
        #expect(throws: NegotiationError.self) { try made.answer(offer) }
    }

    @Test("RTP and RTCP share a port only if the offer allows it and we do")
    func mux() throws {
        for (offered, ours, shared) in [(true, true, true), (true, false, false), (false, true, false)] {
            var made = negotiation { $0.capabilities.rtcpMux = ours }
            let answer = try made.answer(
                try description("m=audio 5000 RTP/AVP 0", offered ? "a=rtcp-mux" : "a=x", "a=rtcp:6000"))
            #expect(answer.media[0].attributes.contains(.rtcpMux) == shared)
            #expect(made.inForce?.rtcpMux == shared)
            #expect(made.inForce?.remoteControl?.port == (shared ? 5000 : 6000))
        }
    }

    @Test("RTCP goes where a=rtcp says, also to another address; after port 65535 there is none")
    func control() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=rtcp:7000 IN IP4 192.0.2.11"))
        #expect(made.inForce?.remoteControl == MediaEndpoint(address: "192.0.2.11", port: 7000))
        made = negotiation()
        _ = try made.answer(try description("m=audio 65535 RTP/AVP 0"))
        #expect(made.inForce?.remoteControl == nil)
    }

    @Test("a media line's own c= goes before the session's")
    func mediaAddress() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", "c=IN IP4 198.51.100.9"))
        #expect(made.inForce?.remote?.address == "198.51.100.9")
    }

    @Test(
        "the answered direction is what both want, seen from our side",
        arguments: [
            ("sendrecv", "sendrecv", "sendrecv"), ("sendonly", "sendrecv", "recvonly"),
            ("recvonly", "sendrecv", "sendonly"),
            ("inactive", "sendrecv", "inactive"), ("sendrecv", "sendonly", "sendonly"),
            ("sendonly", "sendonly", "inactive"),
            ("recvonly", "sendonly", "sendonly"), ("sendrecv", "inactive", "inactive"),
            ("sendrecv", "recvonly", "recvonly"),
        ])
    func directions(offered: String, wanted: String, expected: String) throws {
        var made = negotiation { $0.local.direction = MediaDirection(rawValue: wanted) ?? .sendReceive }
        let answer = try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=\(offered)"))
        #expect(answer.lines.last { MediaDirection(rawValue: String($0.dropFirst(2))) != nil } == "a=\(expected)")
        #expect(made.inForce?.direction.rawValue == expected)
    }

    @Test("a direction of the session holds for its media lines, unless they have one")
    func sessionDirection() throws {
        var offer = try description("m=audio 5000 RTP/AVP 0")
        offer.attributes = [.direction(.sendOnly)]
        var made = negotiation()
        _ = try made.answer(offer)
        #expect(made.inForce?.direction == .receiveOnly)
        offer.media[0].attributes = [.direction(.sendReceive)]
        made = negotiation()
        _ = try made.answer(offer)
        #expect(made.inForce?.direction == .sendReceive)
    }

    @Test("bandwidths limit what is sent and how often RTCP goes; the line's own go before the session's")
    func bandwidths() throws {
        var offer = try description(
            "m=audio 5000 RTP/AVP 96", "b=AS:40", "b=RS:600", "a=rtpmap:96 opus/48000/2", "a=ptime:20")
        offer.bandwidths = [Bandwidth(.applicationSpecific, 10), Bandwidth(.rtcpReceivers, 1800)]
        var made = negotiation()
        _ = try made.answer(offer)
        let audio = try #require(made.inForce)
        // 40 kbit/s with headers of 40 bytes, 50 times a second.
        #expect(audio.sending.maximumBitRate == 24_000)
        #expect(audio.rtcpSendersBandwidth == 600)
        #expect(audio.rtcpReceiversBandwidth == 1800)
        #expect(audio.rtcpBandwidth == 2400)
    }

    @Test(
        "RTCP is limited where its bandwidth is told for senders and receivers; none is wanted where both are 0",
        arguments: [
            ([Bandwidth(.rtcpSenders, 0), Bandwidth(.rtcpReceivers, 0)], 0, "no RTCP"),
            ([Bandwidth(.rtcpSenders, 100), Bandwidth(.rtcpReceivers, 300)], 400, "RTCP at most 400 bit/s"),
            ([Bandwidth(.rtcpReceivers, 0)], nil, "no limit"),
            ([Bandwidth(.rtcpSenders, .max), Bandwidth(.rtcpReceivers, 1)], nil, "no limit"),
        ] as [([Bandwidth], Int?, String)])
    func reportBandwidth(lines: [Bandwidth], expected: Int?, words: String) throws {
        var offer = try description("m=audio 5000 RTP/AVP 96", "a=rtpmap:96 opus/48000/2")
        offer.bandwidths = lines
        var made = negotiation()
        _ = try made.answer(offer)
        #expect(made.inForce?.rtcpBandwidth == expected)
        let row = try #require(made.receipt?.rows.first { $0.subject == .bandwidth })
        #expect(row.inForce == words)
    }

    @Test("the source that the offer names is known")
    func source() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=ssrc:9 msid:x", "a=ssrc:4711 cname:who@there"))
        #expect(made.inForce?.remoteSSRC == 4711)
        #expect(made.inForce?.remoteCNAME == "who@there")
    }

    @Test("an answer to no offer is refused")
    func strayAnswer() throws {
        var made = negotiation()
        let answer = try description("m=audio 5000 RTP/AVP 0")
        #expect(throws: NegotiationError.noOfferPending) { try made.receive(answer: answer) }
        _ = try made.answer(answer)
        #expect(throws: NegotiationError.noOfferPending) { try made.receive(answer: answer) }
    }
}
