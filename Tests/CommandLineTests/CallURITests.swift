import Settings
import Testing

@Test("A URI names host and port, and may name payload type, packet length, RTCP and local port") func full() throws {
    let uri = try CallURI(parsing: "rtp://example.org:5004?pt=96&ptime=10&rtcp=mux&local=6000", role: .call)
    #expect(uri.host == "example.org" && uri.port == 5004)
    #expect(uri.payloadType == 96 && uri.packetMilliseconds == 10 && uri.rtcp == .mux && uri.localPort == 6000)
    let plain = try CallURI(parsing: "RTP://192.0.2.1:65535/", role: .call)
    #expect(plain.host == "192.0.2.1" && plain.port == 65535 && plain.rtcp == .next && plain.payloadType == nil)
    #expect(try CallURI(parsing: "rtp://h:1?rtcp=7", role: .call).rtcp == .port(7))
}

@Test("codec=any takes every codec, and so no payload type beside it") func anyCodec() throws {
    let uri = try CallURI(parsing: "rtp://host:5004?codec=any&ptime=40", role: .listen)
    #expect(uri.takesAnyCodec && uri.codec == nil && uri.packetMilliseconds == 40)
    #expect(try !CallURI(parsing: "rtp://host:5004?codec=opus", role: .listen).takesAnyCodec)
    #expect(throws: SettingsError.self) { try CallURI(parsing: "rtp://host:5004?codec=any&pt=0", role: .listen) }
}

@Test("The local port of who listens is that of the URI, and has no other word") func localPortOfListener() throws {
    #expect(throws: SettingsError.self) { try CallURI(parsing: "rtp://127.0.0.1:0?local=23020", role: .listen) }
}

@Test("A conference may say in which header extensions levels are told") func levels() throws {
    let uri = try CallURI(parsing: "rtp://host:5004?level=1&speakers=14", role: .listen)
    #expect(uri.levelNumber == 1 && uri.speakersNumber == 14 && uri.tellsLevels)
    let plain = try CallURI(parsing: "rtp://host:5004", role: .listen)
    #expect(plain.levelNumber == nil && plain.speakersNumber == nil && !plain.tellsLevels)
    for wrong in ["level=0", "level=15", "speakers=x", "level=3&speakers=3"] {
        #expect(throws: SettingsError.self) { try CallURI(parsing: "rtp://host:5004?\(wrong)", role: .listen) }
    }
    #expect(throws: SettingsError.self) { try CallURI(parsing: "rtp://host:5004?level=1", role: .call) }
}

@Test("An IPv6 address stands in brackets") func ipv6() throws {
    #expect(try CallURI(parsing: "rtp://[2001:db8::1]:5004", role: .call).host == "2001:db8::1")
    #expect(throws: SettingsError.self) { try CallURI(parsing: "rtp://2001:db8::1:5004", role: .call) }
}

@Test("Port 0 is for listening only") func portZero() throws {
    #expect(try CallURI(parsing: "rtp://0.0.0.0:0", role: .listen).port == 0)
    #expect(throws: SettingsError.self) { try CallURI(parsing: "rtp://192.0.2.1:0", role: .call) }
}

@Test(
    "Anything else is refused and quoted",
    arguments: [
        "", "rtp:", "rtp://", "http://h:1", "h:1", "rtp://h", "rtp://h:", "rtp://h:x", "rtp://h:70000", "rtp://h:+1",
        "rtp://:5004", "rtp://[::1:5004", "rtp://[]:1", "rtp://[h]:1", "rtp://u@h:1", "rtp://h:1/path", "rtp://h:1?",
        "rtp://h:1?pt", "rtp://h:1?pt=128", "rtp://h:1?pt=72", "rtp://h:1?pt=-1", "rtp://h:1?ptime=15", "rtp://h:1?x=1",
        "rtp://h:1?rtcp=0", "rtp://h:1?rtcp=muxed", "rtp://h:1?local=0", "rtp://h:1?pt=1&pt=2", "rtp://h:1?pt=1&",
        "rtp://h h:1", "rtp://\u{0}:1", "sip:alice@example.org", "SIPS:alice@example.org",
    ])
func refused(uri: String) {
    #expect { try CallURI(parsing: uri, role: .call) } throws: { error in
        guard case SettingsError.malformedURI(uri, _) = error else { return false }
        return "\(error)".contains("'\(uri)'")
    }
}

@Test("A call by SIP is no party of a raw one") func sip() {
    #expect { try CallURI(parsing: "sip:alice@example.org", role: .call) } throws: { error in
        "\(error)".contains("stands alone")
    }
}
