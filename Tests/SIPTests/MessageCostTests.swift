import CAudit
import Glibc
import Realtime
import SIP
import Testing

/// What a message costs; `scripts/bench-sip` reads the line that it prints.
@Suite("What an average INVITE costs", .serialized) struct MessageCostTests {
    /// As a telephone behind a proxy gets it.
    private static let invite: [UInt8] = {
        let body = """
            v=0\r
            o=- 3973312450 3973312450 IN IP4 192.0.2.10\r
            s=-\r
            c=IN IP4 192.0.2.10\r
            t=0 0\r
            m=audio 10014 RTP/AVP 96 9 0 8 101\r
            a=rtpmap:96 opus/48000/2\r
            a=fmtp:96 useinbandfec=1;minptime=10\r
            a=rtpmap:9 G722/8000\r
            a=rtpmap:0 PCMU/8000\r
            a=rtpmap:8 PCMA/8000\r
            a=rtpmap:101 telephone-event/8000\r
            a=fmtp:101 0-16\r
            a=ptime:20\r
            a=rtcp-mux\r
            a=sendrecv\r

            """
        let head = """
            INVITE sip:102@192.0.2.30:5060;transport=udp SIP/2.0\r
            Record-Route: <sip:192.0.2.1;lr;ftag=a83kd02>\r
            Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK8a1f.0f3ac2b1.0\r
            Via: SIP/2.0/UDP 192.0.2.10:5060;received=192.0.2.10;rport=5060;branch=z9hG4bKd83ka0wls93k\r
            Max-Forwards: 69\r
            From: "Ann Example" <sip:101@example.com>;tag=a83kd02\r
            To: <sip:102@example.com>\r
            Call-ID: 8d0a3f1c-22b7-4d0e-9f31-0c7b7f1f2a10\r
            CSeq: 2 INVITE\r
            Contact: "Ann Example" <sip:101@192.0.2.10:5060>\r
            Allow: INVITE, ACK, BYE, CANCEL, OPTIONS, PRACK, UPDATE, INFO, MESSAGE, NOTIFY, REFER\r
            Supported: replaces, timer, 100rel, outbound\r
            Session-Expires: 1800;refresher=uac\r
            User-Agent: yodel\r
            Content-Type: application/sdp\r
            Content-Length: \(body.utf8.count)\r
            \r

            """
        return Array((head + body).utf8)
    }()

    @Test("what comes octet by octet is not read anew with each") func pieces() throws {
        guard audit_available() else { return }
        var framer = StreamFramer()
        var found: [StreamFramer.Element] = []
        try framer.receive(Self.invite.dropLast(50), into: &found)
        let octets = Self.invite.suffix(50)
        audit_begin()
        for octet in octets.dropLast() { try framer.receive(CollectionOfOne(octet), into: &found) }
        let allocations = audit_end().allocations
        #expect(allocations < 20, "\(allocations) allocations for 49 octets")
        try framer.receive(octets.suffix(1), into: &found)
        #expect(found == [.message(Self.invite)])
    }

    @Test("is read and written, with a bounded number of allocations") func cost() throws {
        let parser = MessageParser()
        func once() -> Int {
            guard case .message(.request(let request)) = parser.parse(Self.invite) else { return 0 }
            return request.bytes.count
        }
        #expect(once() > 900, "it was not read")
        let rounds = 20_000
        let start = HostTime.monotonicNow()
        var sum = 0
        for _ in 0..<rounds { sum &+= once() }
        let seconds = HostTime.monotonicNow().milliseconds(since: start) / 1000
        #expect(sum > 0)
        var allocations: UInt64 = 0
        if audit_available() {
            audit_begin()
            sum &+= once()
            allocations = audit_end().allocations
            #expect(allocations > 0 && allocations <= 260, "\(allocations) allocations for one message")
        }
        print(
            "message cost: \(Int(Double(rounds) / seconds)) messages a second, \(allocations) allocations each, \(Self.invite.count) octets"
        )
    }
}
