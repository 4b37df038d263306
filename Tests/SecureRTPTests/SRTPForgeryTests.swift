import Link
import Realtime
import SecureRTP
import Testing

@Suite("SRTP hands up only what the peer's key made, and that once") struct SRTPForgeryTests {
    @Test("a packet that is changed in any byte is dropped and counted", arguments: SRTPSuite.allCases)
    func anyByte(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        #expect(alice.take([try #require(bob.protect(rtp(10)))]).count == 1)
        let packet = try #require(bob.protect(rtp(11)))
        let report = try #require(bob.protect(rtcp(), .control))
        var tried = 0
        for original in [packet, report] {
            for place in original.indices {
                for bit in [UInt8(1), 0x80] {
                    var forged = original
                    forged[place] ^= bit
                    #expect(alice.take([forged], at: Double(tried)).isEmpty, "byte \(place)")
                    tried += 1
                }
            }
            for length in 0..<original.count { #expect(alice.take([Array(original[..<length])]).isEmpty, "\(length) bytes") }
        }
        #expect(alice.link.srtp.accepted == 1)
        // The real ones are taken after all that.
        #expect(alice.take([packet, report]) == [rtp(11), rtcp()])
    }

    @Test("a packet that comes again is a replay, whether at once or much later", arguments: SRTPSuite.allCases)
    func replay(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        let packets = try (0..<2000).map { try #require(bob.protect(rtp($0))) }
        let reports = try (0..<200).map { try #require(bob.protect(rtcp(UInt8($0)), .control)) }
        #expect(alice.take(packets + reports).count == 2200)
        #expect(alice.take(packets + reports, at: 10).isEmpty)
        #expect(alice.take(packets + reports, at: 60_000).isEmpty)
        #expect(alice.link.srtp.replayed == 4400)
        #expect(alice.link.srtp.failed == 0)
        #expect(alice.link.statistics[.stranger] == 4400)
    }

    @Test("plain RTP and RTCP into an encrypted call are dropped", arguments: SRTPSuite.allCases)
    func plain(suite: SRTPSuite) throws {
        let (alice, _) = try ends(suite)
        #expect(alice.take((0..<50).map { rtp($0) } + [rtcp()]).isEmpty)
        // RTCP without its encryption, but with a trailer that says so.
        #expect(alice.take([rtcp() + [0, 0, 0, 1] + [UInt8](repeating: 0, count: 16)]).isEmpty)
        #expect(alice.link.srtp.failed == 52)
        #expect(alice.wire.peer == nil)
    }

    @Test("RTCP is encrypted with every suite", arguments: SRTPSuite.allCases)
    func controlIsEncrypted(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        let report = try #require(bob.protect(rtcp(42), .control))
        #expect(report.count == rtcp().count + suite.controlTagLength)
        #expect(Array(report[8..<rtcp().count]) != Array(rtcp(42)[8...]))
        #expect(alice.take([report]) == [rtcp(42)])
    }

    @Test(
        "a report under another index, of another call, or one of our own is counted and never acted upon",
        arguments: SRTPSuite.allCases)
    func foreignReport(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        let reports = try (0..<3).map { try #require(bob.protect(rtcp(UInt8($0)), .control)) }
        // The first bit of the index tells whether the rest is encrypted. It stands behind the tag (RFC 7714), or in front (RFC 3711).
        let isBehind = suite == .aeadAES128GCM || suite == .aeadAES256GCM
        let place = reports[0].count - (isBehind ? 4 : suite.controlTagLength)
        #expect(Array(reports[0][place..<place + 4]) == [0x80, 0, 0, 1])
        var forged: [[UInt8]] = []
        for index: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 3], [0, 0, 1, 0], [0x7f, 0xff, 0xff, 0xff]] {
            for flag in [UInt8(0), 0x80] {
                var report = reports[0]
                report.replaceSubrange(place..<place + 4, with: [index[0] | flag] + index.dropFirst())
                forged.append(report)
            }
        }
        forged.append(try #require(try ends(suite, seed: 2).bob.protect(rtcp(), .control)))
        forged.append(try #require(alice.protect(rtcp(), .control)))
        #expect(alice.take(forged).isEmpty)
        #expect(alice.link.srtp.failed == forged.count && alice.link.srtp.accepted == 0)
        #expect(alice.wire.peer == nil && alice.link.nextEvent() == nil)
        #expect(alice.take(reports) == (0..<3).map { rtcp(UInt8($0)) })
    }

    @Test("nothing goes out and nothing comes in before there are keys")
    func withoutKeys() {
        let wire = HandLink()
        let link = SRTPLink(over: wire)
        #expect(!link.send(copying: rtp(1), on: .media, now: .zero))
        #expect(!link.send(copying: rtcp(), on: .control, now: .zero))
        wire.waiting = [(rtp(1), Place.bob), (rtcp(), Place.bob)]
        link.receive(now: .zero) { _ in Issue.record("handed up") }
        #expect(wire.sent.isEmpty && wire.peer == nil)
        #expect(link.srtp.unsent == 2 && link.srtp.early == 2)
        #expect(link.srtp.suite == nil)
    }

    @Test("a sequence number is not used twice with one key")
    func keystreamIsUsedOnce() throws {
        let (_, bob) = try ends()
        #expect(bob.protect(rtp(7)) != nil)
        #expect(bob.protect(rtp(7, length: 40)) == nil)
        #expect(bob.link.srtp.unsent == 1)
    }

    @Test("packets are protected where they are, and not sent when there is no room behind them", arguments: SRTPSuite.allCases)
    func inPlace(suite: SRTPSuite) throws {
        let (_, bob) = try ends(suite)
        let plain = rtp(1)
        var memory = plain + [UInt8](repeating: 0, count: suite.tagLength)
        memory.withUnsafeMutableBytes { buffer in
            var packet = OutgoingPacket(.media, in: buffer, count: plain.count)
            #expect(bob.link.send(&packet, now: .zero))
            #expect(packet.count == buffer.count)
        }
        #expect(memory == bob.wire.sent.last)
        memory.removeLast()
        memory.withUnsafeMutableBytes { buffer in
            var packet = OutgoingPacket(.media, in: buffer, count: plain.count)
            #expect(!bob.link.send(&packet, now: .zero))
        }
        #expect(bob.wire.sent.count == 1)
    }

    @Test(
        "a key identifier travels with each packet, and one without it is refused",
        arguments: SRTPSuite.allCases.filter(\.supportsIdentifier))
    func identifier(suite: SRTPSuite) throws {
        var random = SplitMix64(seed: 8)
        let secret = SRTPMasterKey(suite: suite, random: &random).secret
        let marked = try #require(SRTPMasterKey(suite: suite, secret: secret, identifier: [1, 2, 3, 4]))
        let unmarked = try #require(SRTPMasterKey(suite: suite, secret: secret))
        let alice = try SRTPEnd(SRTPKeys(outbound: marked, inbound: marked))
        let bob = try SRTPEnd(SRTPKeys(outbound: marked, inbound: marked))
        let packet = try #require(bob.protect(rtp(1)))
        #expect(packet.count == rtp(1).count + suite.tagLength + 4)
        #expect(alice.take([packet, try #require(bob.protect(rtcp(), .control))]) == [rtp(1), rtcp()])
        let other = try SRTPEnd(SRTPKeys(outbound: unmarked, inbound: unmarked))
        #expect(alice.take([try #require(other.protect(rtp(2)))]).isEmpty)
    }

    @Test("headers with contributing sources and extensions pass", arguments: SRTPSuite.allCases)
    func longHeaders(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        var packet = rtp(1)
        packet[0] = 0x92
        packet.insert(contentsOf: [0, 0, 0, 1, 0, 0, 0, 2, 0xbe, 0xde, 0, 1, 0x10, 0xaa, 0, 0], at: 12)
        #expect(alice.take([try #require(bob.protect(packet))]) == [packet])
        // An extension that claims to be longer than the packet.
        var liar = packet
        liar[2] = 9
        liar[22] = 0xff
        #expect(alice.take([liar + [UInt8](repeating: 0, count: 16)]).isEmpty)
    }

    @Test("random bytes are dropped, and the stream among them is heard", arguments: SRTPSuite.allCases)
    func noise(suite: SRTPSuite) throws {
        let seed: UInt64 = 9
        var random = SplitMix64(seed: seed)
        let (alice, bob) = try ends(suite)
        for number in 0..<2000 {
            var bytes = (0..<Int.random(in: 0...250, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            if !bytes.isEmpty, number % 2 == 0 { bytes[0] = 0x80 | bytes[0] & 0x3f }
            #expect(alice.take([bytes], at: Double(number * 3)).isEmpty, "seed \(seed)")
            if number % 10 == 0 {
                let packet = rtp(number / 10)
                #expect(alice.take([try #require(bob.protect(packet))], at: Double(number * 3)) == [packet], "seed \(seed)")
            }
        }
    }

    @Test("a flood of forged streams does not keep a restarted stream from being found again")
    func flood() throws {
        let seed: UInt64 = 10
        var random = SplitMix64(seed: seed)
        let (alice, bob) = try ends()
        for sequence in 65_000..<66_000 { _ = alice.take([try #require(bob.protect(rtp(sequence)))]) }
        let bobAgain = try SRTPEnd(keys(.aes128CM80, seed: 1).bob)
        var heard = 0
        for number in 0..<50 {
            let time = 1000 + Double(number) * 20
            let forged = (0..<100).map { _ in
                rtp(Int(random.next() & 0xffff), ssrc: UInt32(truncatingIfNeeded: random.next()), length: 30)
            }
            let packet = try #require(bobAgain.protect(rtp(30_000 + number)))
            heard += alice.take(forged + [packet], at: time).count
        }
        #expect(heard == 50, "seed \(seed)")
    }
}
