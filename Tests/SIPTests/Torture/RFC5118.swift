extension TortureVector {
    /// RFC 5118 section 4: IPv6 in every place.
    static let rfc5118: [TortureVector] = [
        TortureVector(
            "ipv6-good", "4.1", .answered([405]),
            Draft("REGISTER") {
                $0.target = "sip:[2001:db8::10]"
                $0.via = ["SIP/2.0/UDP [2001:db8::9:1];branch=z9hG4bK6"]
                $0.contact = ["\"C\" <sip:c@[2001:db8::1]>"]
            }),
        TortureVector("ipv6-bad", "4.2", .answered([400]), Draft("REGISTER") { $0.target = "sip:2001:db8::10" }),
        TortureVector("port-ambiguous", "4.3", .answered([405]), Draft("REGISTER") { $0.target = "sip:[2001:db8::10:5070]" }),
        TortureVector(
            "port-unambiguous", "4.4", .answered([405]), Draft("REGISTER") { $0.target = "sip:[2001:db8::10]:5070" }),
        TortureVector(
            "via-received-param-with-delim", "4.5", .answered([200]),
            Draft { $0.via = ["SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKw"] }),
        TortureVector(
            "via-received-param-no-delim", "4.5", .answered([200]),
            Draft { $0.via = ["SIP/2.0/UDP [2001:db8::9:1];received=2001:db8::9:255;branch=z9hG4bKn"] }),
        TortureVector(
            "ipv6-in-sdp", "4.6", .rings,
            Draft("INVITE") {
                $0.target = "sip:me@[2001:db8::10]"
                $0.body = "v=0\no=- 1 1 IN IP6 2001:db8::20\ns=-\nc=IN IP6 2001:db8::20\nt=0 0\nm=audio 6000 RTP/AVP 0\n"
            }),
        TortureVector(
            "mult-ip-in-header", "4.7", .answered([481]),
            Draft("BYE") {
                $0.to = "sip:me@example.net;tag=9817--94"
                $0.via = [
                    "SIP/2.0/UDP [2001:db8::9:1]:6050;branch=z9hG4bK1", "SIP/2.0/UDP 192.0.2.9;branch=z9hG4bK2",
                    "SIP/2.0/TCP [2001:db8::9:255];branch=z9hG4bK3;received=192.0.2.200",
                ]
            }),
        TortureVector(
            "mult-ip-in-sdp", "4.8", .rings,
            Draft("INVITE") {
                $0.body =
                    "v=0\no=- 1 1 IN IP4 h.example.com\ns=\nt=0 0\nm=audio 22334 RTP/AVP 0\nc=IN IP4 192.0.2.9\n"
                    + "m=video 6024 RTP/AVP 107\nc=IN IP6 2001:db8::1\n"
            }),
        TortureVector(
            "ipv4-mapped-ipv6", "4.9", .rings,
            Draft("INVITE") {
                $0.via = ["SIP/2.0/UDP [::ffff:192.0.2.10]:19823;branch=z9hG4bK1", "SIP/2.0/UDP [::ffff:192.0.2.2]"]
                $0.contact = ["\"T. desk\" <sip:ted@[::ffff:192.0.2.2]>"]
            }),
        TortureVector(
            "ipv6-bug-abnf-3-colons", "4.10", .answered([200]), Draft { $0.target = "sip:me@[2001:db8:::192.0.2.1]" }),
        TortureVector(
            "ipv6-correct-abnf-2-colons", "4.10", .answered([200]), Draft { $0.target = "sip:me@[2001:db8::192.0.2.1]" }),
    ]
}
