import SDP
import Testing

@Suite("Events, noise, copies and packet lengths") struct PairedFormatsTests {
    static let opusWithCopies = AudioCodec.opus(parameters: fec, bitRate: 24_000, redundancy: 2)

    @Test("telephone events of the codec's clock are used")
    func eventsOfTheClock() throws {
        var made = negotiation()
        let answer = try made.answer(
            try description(
                "m=audio 5000 RTP/AVP 96 97 98", "a=rtpmap:96 opus/48000/2", "a=rtpmap:97 telephone-event/8000",
                "a=rtpmap:98 telephone-event/48000", "a=fmtp:98 0-15"))
        #expect(answer.media[0].formats == ["96", "98"])
        #expect(
            made.inForce?.sending.telephoneEvent
                == AudioInForce.TelephoneEvent(payloadType: 98, clockRate: 48_000, events: "0-15"))
        #expect(made.receipt?.rows.first { $0.subject == .telephoneEvent(8000) }?.why == .otherClockRate(48_000))
    }

    @Test("where only events of another clock are offered, those are used")
    func eventsOfAnotherClock() throws {
        var made = negotiation()
        let answer = try made.answer(
            try description(
                "m=audio 5000 RTP/AVP 96 97", "a=rtpmap:96 opus/48000/2", "a=rtpmap:97 telephone-event/8000"))
        #expect(answer.media[0].formats == ["96", "97"])
        #expect(made.inForce?.sending.telephoneEvent?.clockRate == 8000)
        #expect(made.inForce?.receiving[97] == .telephoneEvent(rate: 8000))
    }

    @Test("events that only one side knows are not used")
    func noEvents() throws {
        var made = negotiation { $0.capabilities.telephoneEvents = nil }
        let answer = try made.answer(try description("m=audio 5000 RTP/AVP 0 101", "a=rtpmap:101 telephone-event/8000"))
        #expect(answer.media[0].formats == ["0"])
        #expect(made.inForce?.sending.telephoneEvent == nil)
        #expect(made.receipt?.rows.first { $0.subject == .telephoneEvent(8000) }?.why == .notOurs)
    }

    @Test("comfort noise goes with codecs of 8 kHz")
    func comfortNoise() throws {
        for (line, expected) in [("0 13", 13), ("96 13", nil)] as [(String, UInt8?)] {
            var made = negotiation()
            _ = try made.answer(try description("m=audio 5000 RTP/AVP \(line)", "a=rtpmap:96 opus/48000/2"))
            #expect(made.inForce?.sending.comfortNoise == expected)
        }
    }

    @Test("copies are offered right after their codec, and name it")
    func copiesOffered() throws {
        var made = negotiation(codecs: [Self.opusWithCopies, .pcmu])
        let offer = try made.makeOffer()
        #expect(offer.media[0].formats.prefix(3) == ["111", "96", "0"])
        #expect(offer.lines.contains("a=rtpmap:96 red/48000/2"))
        #expect(offer.lines.contains("a=fmtp:96 111/111/111"))
    }

    @Test("copies are used as deep as both can, when their fmtp names the codec alone")
    func copiesAnswered() throws {
        for (parameters, copies) in [("96/96", 1), ("96/96/96/96", 2), ("96/0", nil), ("96", nil), ("", nil)]
            as [(String, Int?)]
        {
            var made = negotiation(codecs: [Self.opusWithCopies, .pcmu])
            let answer = try made.answer(
                try description(
                    "m=audio 5000 RTP/AVP 96 63 0", "a=rtpmap:96 opus/48000/2", "a=rtpmap:63 red/48000/2",
                    parameters.isEmpty ? "a=x" : "a=fmtp:63 \(parameters)"))
            #expect(made.inForce?.sending.redundancy?.copies == copies, "\(parameters)")
            #expect(answer.media[0].formats == (copies == nil ? ["96"] : ["96", "63"]))
            if copies == nil {
                #expect(made.receipt?.rows.first { $0.subject == .redundancy("red/48000/2") }?.why == .notPaired)
            } else {
                #expect(made.inForce?.sending.redundancy?.payloadType == 63)
                #expect(made.inForce?.receiving[63] == .redundancy(of: .opus))
            }
        }
    }

    @Test("an answer of copies under the peer's own numbers is understood")
    func copiesInAnswer() throws {
        var made = negotiation(codecs: [Self.opusWithCopies])
        _ = try made.makeOffer()
        try made.receive(
            answer: try description(
                "m=audio 5000 RTP/AVP 100 101", "a=rtpmap:100 opus/48000/2", "a=rtpmap:101 red/48000/2",
                "a=fmtp:101 100/100"))
        #expect(made.inForce?.sending.redundancy == AudioInForce.Redundancy(payloadType: 101, copies: 1))
        #expect(made.inForce?.receiving[96] == .redundancy(of: .opus))
    }

    @Test(
        "we send packets as long as the other side asks for, within maxptime and what the codec can",
        arguments: [
            ("a=ptime:20", "a=x", 20.0), ("a=ptime:30", "a=x", 30), ("a=ptime:25", "a=x", 20),
            ("a=ptime:200", "a=x", 60),
            ("a=ptime:40", "a=maxptime:20", 20), ("a=x", "a=maxptime:10", 10), ("a=ptime:5", "a=x", 10),
            ("a=x", "a=maxptime:5", 10), ("a=x", "a=x", 20), ("a=ptime:2.5", "a=maxptime:0", 10),
        ] as [(String, String, Double)])
    func packetTime(ptime: String, maxptime: String, expected: Double) throws {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", ptime, maxptime))
        #expect(made.inForce?.sending.packetTime == expected)
    }

    @Test("Opus' minptime is kept")
    func minimumPacketTime() throws {
        var made = negotiation()
        _ = try made.answer(
            try description(
                "m=audio 5000 RTP/AVP 96", "a=rtpmap:96 opus/48000/2", "a=fmtp:96 minptime=40", "a=ptime:10"))
        #expect(made.inForce?.sending.packetTime == 40)
    }

    @Test("a bundled audio line is answered with its id and a group of its own, and shares its port")
    func bundle() throws {
        var offer = try description(
            "m=audio 5000 RTP/AVPF 0", "a=mid:a", "a=rtcp-mux", "m=video 5000 RTP/AVPF 99", "a=mid:v", "a=rtcp-mux")
        offer.attributes = [.group(GroupAttribute(semantics: "BUNDLE", mediaIDs: ["a", "v"]))]
        var made = negotiation()
        let answer = try made.answer(offer)
        #expect(answer.attributes == [.group(GroupAttribute(semantics: "BUNDLE", mediaIDs: ["a"]))])
        #expect(answer.lines(ofMedia: 0).contains("a=mid:a"))
        #expect(answer.media[0].transport == "RTP/AVPF")
        #expect(answer.lines(ofMedia: 1) == ["m=video 0 RTP/AVPF 99", "a=mid:v"])
        let again = try made.makeOffer()
        #expect(again.attributes == answer.attributes)
        #expect(again.lines(ofMedia: 0).contains("a=mid:a"))
        #expect(again.media[0].transport == "RTP/AVPF")
    }
}
