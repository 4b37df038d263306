import SDP
import Testing

@Suite("The negotiation receipt") struct ReceiptTests {
    @Test("it tells line by line what was offered, answered and is in force, and why")
    func lines() throws {
        var made = negotiation()
        _ = try made.makeOffer()
        try made.receive(
            answer: try description(
                "m=audio 5000 RTP/AVP 8 101", "a=rtpmap:101 telephone-event/8000", "a=ptime:30", "a=sendonly", "b=AS:80"
            ))
        let receipt = try #require(made.receipt)
        #expect(receipt.offeredBy == .us)
        let expected: [String] = [
            "0 audio: offered port 40000, answered port 5000, in force RTP/AVP: both sides agree",
            "0 opus/48000/2: offered 111 useinbandfec=1, answered -, in force -: the answer leaves it out",
            "0 PCMU/8000: offered 0, answered -, in force -: the answer leaves it out",
            "0 PCMA/8000: offered 8, answered 8, in force send 8, receive 8: both sides agree",
            "0 telephone-event/48000: offered 102 0-16, answered -, in force -: "
                + "the codec in force has a clock of 8000 Hz",
            "0 telephone-event/8000: offered 101 0-16, answered 101, in force send 101, receive 101: "
                + "both sides agree",
            "0 comfort noise: offered 13, answered -, in force -: the answer leaves it out",
            "0 address: offered 192.0.2.1:40000, answered 192.0.2.10:5000, in force 192.0.2.10:5000: "
                + "both sides agree",
            "0 direction: offered sendrecv, answered sendonly, in force recvonly: held by the peer",
            "0 packet length: offered 20 ms, answered 30 ms, in force send 30 ms: both sides agree",
            "0 rtcp: offered port 40001 or shared, answered port 5001, in force to 192.0.2.10:5001: "
                + "one side wants a port of its own for RTCP",
            "0 bandwidth: offered -, answered AS:80, in force send at most 69333 bit/s: limited by the other side",
        ]
        #expect(receipt.description.split(separator: "\n").map(String.init) == expected)
    }

    @Test("the cost is packet and codec in milliseconds, payload, copies and headers in bits a second")
    func cost() throws {
        var made = negotiation(codecs: [.opus(parameters: fec, bitRate: 24_000)])
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 96", "a=rtpmap:96 opus/48000/2", "a=ptime:20"))
        #expect(
            made.receipt?.cost
                == NegotiationReceipt.Cost(packetTime: 20, lookahead: 6.5, bitRate: 40_000, headerBitRate: 16_000))
        #expect(made.receipt?.cost?.delay == 26.5)
        made = negotiation(codecs: [.opus(parameters: fec, bitRate: 24_000, redundancy: 1)])
        _ = try made.answer(
            try description(
                "m=audio 5000 RTP/AVP 96 97", "a=rtpmap:96 opus/48000/2", "a=rtpmap:97 red/48000/2", "a=fmtp:97 96/96",
                "a=fmtp:96 maxaveragebitrate=16000"))
        // Twice 16 kbit/s, 40 bytes of headers and 5 of RFC 2198, 50 times a second.
        #expect(made.receipt?.cost?.bitRate == 32_000 + 16_000 + 2000)
    }

    @Test("headers of IPv6 cost 20 bytes more")
    func versionSix() throws {
        var made = negotiation(codecs: [.pcmu], address: "2001:db8::1")
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", address: "2001:db8::2"))
        #expect(made.receipt?.cost?.headerBitRate == 24_000)
    }

    @Test("nothing is sent, nothing is paid")
    func noCost() throws {
        var made = negotiation()
        _ = try made.answer(try description("m=audio 5000 RTP/AVP 0", "a=inactive"))
        #expect(made.receipt?.cost == nil)
    }
}
