extension TortureVector {
    /// Messages made to hurt. Those whose harm is in the SDP ring here: offer and answer refuse them.
    static let hostile: [TortureVector] = [
        TortureVector("cl_huge", "own", .answered([400]), Draft("INVITE") { $0.contentLength = "4294967295" }),
        TortureVector(
            "cl_over_64bit", "own", .answered([400]),
            Draft("INVITE") { $0.contentLength = "1" + String(repeating: "0", count: 30) }),
        TortureVector("cl_minus_one", "own", .answered([400]), Draft("INVITE") { $0.contentLength = "-1" }),
        TortureVector("cl_short", "own", .rings, Draft("INVITE") { $0.contentLength = "20" }),
        TortureVector("cl_two_equal", "own", .answered([200, 400]), Draft { $0.extra = "Content-Length: 0\n" }),
        TortureVector("from_twice", "own", .answered([400]), Draft { $0.extra = "From: <sip:x@y>;tag=2\n" }),
        TortureVector("cseq_range", "own", .answered([400]), Draft { $0.cSeq = "2147483648 OPTIONS" }),
        TortureVector(
            "via_10k", "own", .dropped,
            Draft { $0.via = [String(repeating: "SIP/2.0/UDP a,", count: 9999) + "SIP/2.0/UDP a"] }),
        TortureVector("nul_in_header", "own", .answered([400]), Draft { $0.extra = "Subject: a\u{0}b\n" }),
        TortureVector("nul_in_callid", "own", .answered([400]), Draft { $0.callID = "abc\u{0}def" }),
        TortureVector(
            "nul_body", "own", .answered([200, 415]),
            Draft {
                $0.extra = "Content-Type: application/sdp\n"
                $0.body = String(repeating: "\u{0}", count: 200)
            }),
        TortureVector(
            "line_60k", "own", .dropped, Draft { $0.extra = "Subject: \(String(repeating: "x", count: 60_000))\n" }),
        TortureVector(
            "folds_5k", "own", .dropped, Draft { $0.extra = "Subject: x\n\(String(repeating: " y\n", count: 5000))" }),
        TortureVector("quote_open", "own", .answered([400]), Draft { $0.from = "\"abc\\\"\\\\\\\" <sip:x@y>;tag=1" }),
        TortureVector("quote_ends_in_backslash", "own", .answered([400]), Draft { $0.from = "\"abc\\" }),
        TortureVector("sdp_mline_loop", "own", .rings, sdp("m=audio 4000 RTP/AVP 0 \u{CD}-2 8 ")),
        TortureVector("sdp_port_65536", "own", .rings, sdp("m=audio 65536 RTP/AVP 0")),
        TortureVector("sdp_port_minus", "own", .rings, sdp("m=audio -1 RTP/AVP 0")),
        TortureVector("sdp_port_zero", "own", .rings, sdp("m=audio 0 RTP/AVP 0")),
        TortureVector("sdp_c_multicast", "own", .rings, sdp("m=audio 4000 RTP/AVP 0\nc=IN IP4 224.2.1.1/127")),
        TortureVector("sdp_c_broadcast", "own", .rings, sdp("m=audio 4000 RTP/AVP 0\nc=IN IP4 255.255.255.255")),
        TortureVector(
            "lone_cr", "own", .answered([400]),
            Array(
                String(
                    decoding: Draft { $0.extra = "Subject: a@@b\n" }.bytes, as: UTF8.self
                ).replacing("@@", with: "\r").utf8)),
        TortureVector(
            "lone_lf", "own", .answered([400]),
            Array(
                String(
                    decoding: Draft { $0.extra = "Subject: a@@Evil: yes\n" }.bytes, as: UTF8.self
                ).replacing("@@", with: "\n").utf8)),
        TortureVector("smuggled_name", "own", .answered([400]), Draft { $0.extra = "Sub ject: a\n" }),
        TortureVector("empty_uri", "own", .answered([400]), Draft { $0.startLine = "OPTIONS  SIP/2.0" }),
        TortureVector("all_quotes", "own", .answered([400]), Draft { $0.to = String(repeating: "\"", count: 7001) }),
        TortureVector("vias_300", "own", .dropped, Draft { $0.via = Array(repeating: "SIP/2.0/UDP a", count: 300) }),
    ]

    private static func sdp(_ lines: String) -> Draft {
        Draft("INVITE") { $0.body = "v=0\no=- 1 1 IN IP4 127.0.0.1\ns=-\nc=IN IP4 127.0.0.1\nt=0 0\n\(lines)\n" }
    }
}
