import SDP
import Testing

@Suite("Attributes") struct AttributeTests {
    func attribute(_ line: String) throws -> Attribute {
        let read = try description("m=audio 1 RTP/AVP 0", "a=" + line)
        return try #require(read.media[0].attributes.first)
    }

    static let known: [(String, Attribute)] = [
        ("rtpmap:111 opus/48000/2", .rtpmap(RTPMap(payloadType: 111, format: .opus))),
        ("rtpmap:0 PCMU/8000", .rtpmap(RTPMap(payloadType: 0, format: .pcmu))),
        (
            "fmtp:111 useinbandfec=1;minptime=10",
            .formatParameters(FormatParameters(format: "111", text: "useinbandfec=1;minptime=10"))
        ),
        ("ptime:20", .packetTime(20)), ("ptime:2.5", .packetTime(2.5)), ("maxptime:60", .maximumPacketTime(60)),
        ("sendrecv", .direction(.sendReceive)), ("sendonly", .direction(.sendOnly)), ("recvonly", .direction(.receiveOnly)),
        ("inactive", .direction(.inactive)),
        ("rtcp:53020", .rtcp(RTCPAttribute(port: 53_020))),
        (
            "rtcp:53020 IN IP6 2001:db8::1",
            .rtcp(RTCPAttribute(port: 53_020, connection: Connection(address: "2001:db8::1")))
        ),
        ("rtcp-mux", .rtcpMux),
        ("ssrc:4294967295 cname:a b", .source(SourceAttribute(ssrc: .max, attribute: "cname", value: "a b"))),
        ("ssrc:1 previous-ssrc", .source(SourceAttribute(ssrc: 1, attribute: "previous-ssrc"))),
        ("group:BUNDLE 0 1", .group(GroupAttribute(semantics: "BUNDLE", mediaIDs: ["0", "1"]))),
        ("mid:audio", .mediaID("audio")), ("ice-ufrag:8hhY", .iceUsername("8hhY")),
        ("ice-pwd:asd88fgpdd777uzjYhagZg", .icePassword(MediaSecret("asd88fgpdd777uzjYhagZg"))),
        ("ice-options:ice2 trickle", .iceOptions(["ice2", "trickle"])), ("ice-lite", .iceLite),
        ("end-of-candidates", .endOfCandidates),
        (
            "candidate:1 1 UDP 2130706431 203.0.113.141 8998 typ host",
            .candidate(
                ICECandidate(
                    foundation: "1", priority: 2_130_706_431, address: "203.0.113.141", port: 8998, type: "host"))
        ),
        (
            "candidate:2 2 udp 1694498815 192.0.2.3 45664 typ srflx raddr 203.0.113.141 rport 8998 generation 0",
            .candidate(
                ICECandidate(
                    foundation: "2", component: 2, transport: "udp", priority: 1_694_498_815, address: "192.0.2.3",
                    port: 45_664,
                    type: "srflx", relatedAddress: "203.0.113.141", relatedPort: 8998,
                    extensions: [ICECandidate.Extension(name: "generation", value: "0")]))
        ),
        (
            "fingerprint:sha-256 0A:FF:10",
            .fingerprint(Fingerprint(hashFunction: "SHA-256", bytes: [0x0a, 0xff, 0x10]))
        ),
        ("setup:actpass", .setup(.actpass)),
        (
            "crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc|2^20 UNENCRYPTED_SRTCP",
            .crypto(
                CryptoAttribute(
                    tag: 1, suite: "AES_CM_128_HMAC_SHA1_80", keyParameters: MediaSecret("inline:abc|2^20"),
                    sessionParameters: ["UNENCRYPTED_SRTCP"]))
        ),
    ]

    @Test("each known attribute is read into its value and printed as it was", arguments: known)
    func reads(line: String, expected: Attribute) throws {
        #expect(try attribute(line) == expected)
        var made = try description("m=audio 1 RTP/AVP 0")
        made.media[0].attributes = [expected]
        #expect(made.lines.last == "a=" + line)
        #expect(!expected.isMalformed)
    }

    @Test(
        "a known name with a value that is wrong stays text, is printed back and told as malformed",
        arguments: [
            "rtpmap:128 opus/48000/2", "rtpmap:111", "rtpmap:111 opus", "rtpmap:111 opus/0", "rtpmap:111 opus/48000/0",
            "rtpmap:111 opus/48000/256", "rtpmap:x opus/48000", "ptime:0", "ptime:-20", "ptime:nan", "ptime:1e3",
            "ptime:99999999999", "maxptime:", "rtcp:65536", "rtcp:1 IN", "rtcp-mux:x", "ssrc:4294967296 cname:a",
            "ssrc:1",
            "mid:", "candidate:1 1 UDP", "candidate:1 0 UDP 1 192.0.2.1 1 typ host",
            "candidate:1 1 UDP 1 192.0.2.1 1 typ host raddr",
            "fingerprint:sha-256 0A:F", "fingerprint:sha-256 0G", "fingerprint:sha-256", "setup:both",
            "crypto:x A inline:b",
            "crypto:1 A b", "ice-ufrag:a b", "group:", "sendonly:yes",
        ])
    func malformed(line: String) throws {
        let read = try attribute(line)
        #expect(read.isMalformed)
        #expect(try description("m=audio 1 RTP/AVP 0", "a=" + line).lines.last == "a=" + line)
    }

    @Test("names of encodings are the same in any case, and stay as they were written")
    func encodingNameCase() throws {
        guard case .rtpmap(let map) = try attribute("rtpmap:8 pcma/8000") else { throw Mismatch() }
        #expect(map.format == .pcma)
        #expect(map.format.encodingName == "pcma")
        #expect(map.format.staticPayloadType == 8)
        #expect(Set([map.format, .pcma]).count == 1)
    }

    @Test("bandwidths are read with their kinds")
    func bandwidths() throws {
        let read = try description(
            "m=audio 1 RTP/AVP 0", "b=AS:64", "b=TIAS:32000", "b=RS:800", "b=RR:2400", "b=CT:1", "b=X-Y:7")
        #expect(
            read.media[0].bandwidths == [
                Bandwidth(.applicationSpecific, 64), Bandwidth(.transportIndependent, 32_000),
                Bandwidth(.rtcpSenders, 800),
                Bandwidth(.rtcpReceivers, 2400), Bandwidth(.conferenceTotal, 1), Bandwidth(.other("X-Y"), 7),
            ])
    }

    @Test("keys and passwords are in the body and nowhere else")
    func secrets() throws {
        let key = "inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz"
        var read = try description(
            "k=clear:geheim", "m=audio 1 RTP/AVP 0", "a=crypto:1 AES_CM_128_HMAC_SHA1_80 \(key)",
            "a=ice-pwd:geheimgeheimgeheimgeheim",
            "a=crypto:broken geheim")
        read.otherLines.append(OtherLine(letter: UInt8(ascii: "k"), value: "clear:geheim"))
        #expect(read.text.contains(key) && read.text.contains("ice-pwd:geheim"))
        var dumped = ""
        dump(read, to: &dumped)
        for told in [read.maskedText, "\(read)", "\(read.media[0].attributes)"] {
            #expect(!told.contains("geheim") && !told.contains(key), "\(told)")
        }
        #expect(!dumped.contains(key))
    }
}

struct Mismatch: Error {}
