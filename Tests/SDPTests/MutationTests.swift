import Glibc
import Realtime
import SDP
import Testing

@Suite("Mutated bodies") struct MutationTests {
    static let bodies = [
        """
        v=0
        o=- 1 1 IN IP4 192.0.2.10
        s=-
        c=IN IP4 192.0.2.10
        t=0 0
        m=audio 5000 RTP/AVP 96 97 98 0 8 13 101
        b=AS:80
        b=TIAS:64000
        b=RS:1
        a=rtpmap:96 opus/48000/2
        a=fmtp:96 useinbandfec=1;maxaveragebitrate=20000
        a=rtpmap:97 red/48000/2
        a=fmtp:97 96/96
        a=rtpmap:98 telephone-event/48000
        a=rtpmap:101 telephone-event/8000
        a=ptime:20
        a=maxptime:60
        a=rtcp:5001 IN IP4 192.0.2.11
        a=rtcp-mux
        a=ssrc:1 cname:x
        a=sendonly

        """,
        """
        v=0
        o=x 18446744073709551615 1 IN IP6 2001:db8::1
        s=-
        t=0 0
        a=group:BUNDLE a v
        a=ice-lite
        m=audio 5000/2 RTP/AVPF 0 8
        c=IN IP6 2001:db8::1/3
        a=mid:a
        a=ice-ufrag:abcd
        a=ice-pwd:abcdabcdabcdabcdabcdab
        a=candidate:1 1 UDP 2130706431 2001:db8::1 5000 typ srflx raddr 10.0.0.1 rport 9 generation 0
        a=fingerprint:sha-256 01:02:03
        a=setup:actpass
        a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:abc|2^20|1:4
        m=video 0 RTP/SAVPF 99
        a=rtpmap:99 H264/90000
        a=mid:v

        """,
    ]

    /// The other half of the mutants is made of pieces that matter to a reader of numbers, words and lines.
    static let pieces = [
        "", "\r\n", "\n", "\r", "\0", " ", "/", ":", "=", "m=", "a=", "c=IN IP4 0.0.0.0\r\n", "65536", "-1",
        "4294967296",
        "99999999999999999999", "0", "\u{7f}", "é", "(", "m=audio 1 RTP/AVP 0\r\n", "a=rtpmap:0 opus/48000/2\r\n",
        "a=fmtp:0 0/0/0",
        "a=ptime:0.000001\r\n", "b=AS:18446744073709551615\r\n", "127", "128", "255", "m=audio 65535 RTP/AVP 0\r\n",
    ]

    @Test("100,000 mutated bodies are read or refused, and negotiated or refused; nothing traps")
    func mutants() {
        let seed = seed(20_261_123)
        var random = SplitMix64(seed: seed)
        let originals = Self.bodies.map { Array($0.replacing("\n", with: "\r\n").utf8) }
        let pieces = Self.pieces.map { Array($0.utf8) }
        var read = 0, answered = 0, accepted = 0
        for number in 0..<100_000 {
            var body = originals[number % 2]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0...body.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0 where place < body.count: body[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: body.removeSubrange(place..<min(body.count, place + Int.random(in: 1...12, using: &random)))
                case 2: body.insert(contentsOf: body[min(place, body.count / 2)..<place].prefix(60), at: place)
                default: body.insert(contentsOf: pieces[Int.random(in: pieces.indices, using: &random)], at: place)
                }
            }
            guard let mutant = try? SessionDescription(parsing: body) else { continue }
            read += 1
            guard let again = try? SessionDescription(parsing: mutant.bytes), again.bytes == mutant.bytes else {
                Issue.record("seed \(seed), mutant \(number) is not read as printed: \(mutant.text.debugDescription)")
                return
            }
            var ours = negotiation(address: number % 2 == 0 ? "192.0.2.1" : "2001:db8::9")
            if (try? ours.answer(mutant)) != nil { answered += 1 }
            _ = try? ours.makeOffer()
            if (try? ours.receive(answer: mutant)) != nil { accepted += 1 }
            _ = ours.receipt?.description
        }
        print("seed \(seed): of 100000 mutants \(read) read, \(answered) answered, \(accepted) taken as answers")
        #expect(read > 20_000 && answered > 5000 && accepted > 2000)
    }
}
