import Link
import Realtime
import SecureRTP
import Testing

/// What ends with one-way sound elsewhere (docs/secure-rtp.md): a context that is lost or kept when it should not be.
@Suite("SRTP stays in step") struct SRTPContinuityTests {
    @Test("through a hold in which the stream goes on, even past a wrap of its sequence number", arguments: SRTPSuite.allCases)
    func hold(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        // Bob's first half second is heard. Then nothing arrives for 20 minutes, while his sequence number goes around.
        for sequence in 100..<125 {
            let packet = try #require(bob.protect(rtp(sequence)))
            #expect(alice.take([packet], at: Double(sequence * 20)) == [rtp(sequence)])
        }
        var unheard: [UInt8] = []
        for sequence in 125..<66_000 { unheard = try #require(bob.protect(rtp(sequence))) }
        #expect(!unheard.isEmpty)
        for sequence in 66_000..<66_050 {
            let packet = try #require(bob.protect(rtp(sequence)))
            #expect(alice.take([packet], at: Double(sequence * 20)) == [rtp(sequence)], "packet \(sequence)")
        }
        #expect(alice.link.srtp.failed == 0)
        #expect(alice.link.srtp.resynchronized == 1)
    }

    @Test("through a hold after which the stream stands where it was")
    func holdWithoutSending() throws {
        let (alice, bob) = try ends()
        for sequence in 65_530..<65_540 { #expect(alice.take([try #require(bob.protect(rtp(sequence)))]) == [rtp(sequence)]) }
        for sequence in 65_540..<65_600 {
            #expect(alice.take([try #require(bob.protect(rtp(sequence)))], at: 600_000) == [rtp(sequence)])
        }
        #expect(alice.link.srtp.resynchronized == 0)
    }

    @Test(
        "through an offer and answer that say the same keys again, in the middle of a second round",
        arguments: SRTPSuite.allCases)
    func sameKeyAgain(suite: SRTPSuite) throws {
        let both = keys(suite, seed: 2)
        let (alice, bob) = (try SRTPEnd(both.alice), try SRTPEnd(both.bob))
        for sequence in 65_000..<66_000 { #expect(alice.take([try #require(bob.protect(rtp(sequence)))]).count == 1) }
        let recorded = try #require(bob.protect(rtp(66_000)))
        #expect(alice.take([recorded]).count == 1)
        // Each side reads the keys anew from the text of the description.
        let again = keys(suite, seed: 2)
        try alice.link.setKeys(again.alice)
        try bob.link.setKeys(again.bob)
        #expect(alice.take([recorded]).isEmpty, "the replay window must be kept too")
        for sequence in 66_001..<66_100 { #expect(alice.take([try #require(bob.protect(rtp(sequence)))]) == [rtp(sequence)]) }
        #expect(alice.link.srtp.failed == 0)
        #expect(alice.link.srtp.replayed == 1)
    }

    @Test("through a change of keys, with packets of both keys on their way, whoever changes first", arguments: [true, false])
    func newKey(senderFirst: Bool) throws {
        let (alice, bob) = try ends(seed: 3)
        let next = keys(.aeadAES128GCM, seed: 4)
        for sequence in 1..<50 { #expect(alice.take([try #require(bob.protect(rtp(sequence)))]).count == 1) }
        let onTheirWay = try (50..<55).map { try #require(bob.protect(rtp($0))) }
        if senderFirst {
            try bob.link.setKeys(next.bob)
            let early = try #require(bob.protect(rtp(55)))
            #expect(alice.take([early]).isEmpty, "a packet under a key that is not known yet is not heard")
            try alice.link.setKeys(next.alice)
            #expect(alice.take([early]) == [rtp(55)], "and it is not a replay later")
        } else {
            try alice.link.setKeys(next.alice)
            #expect(alice.take([try #require(bob.protect(rtp(55)))]).count == 1, "the former key is heard until the new one")
            try bob.link.setKeys(next.bob)
        }
        #expect(alice.take(onTheirWay).count == 5)
        #expect(alice.take(onTheirWay).isEmpty)
        for sequence in 56..<150 {
            let time = Double(sequence * 100)
            #expect(alice.take([try #require(bob.protect(rtp(sequence)))], at: time) == [rtp(sequence)])
        }
        // The former key is forgotten by now.
        #expect(alice.take(onTheirWay, at: 20_000).isEmpty)
        #expect(alice.link.srtp.suite == .aeadAES128GCM)
    }

    @Test("through a return to keys from before, as many as are remembered, and a recording opens nothing under any of them")
    func formerKeys() throws {
        let (alice, bob) = try ends(seed: 10)
        let mostNumber = SRTPLink.rememberedKeys - 1
        var recorded: [[UInt8]] = []
        var sequence = 65_400
        var time = 0.0
        for number in Array(0...mostNumber) + Array((0...mostNumber).reversed()) {
            let next = keys(SRTPSuite.allCases[number % SRTPSuite.allCases.count], seed: 10 + UInt64(number))
            try alice.link.setKeys(next.alice)
            try bob.link.setKeys(next.bob)
            // Long enough that the keys before these are over.
            time += 10_000
            #expect(alice.take(recorded, at: time).isEmpty, "keys \(number)")
            for _ in 0..<40 {
                sequence += 1
                time += 20
                let packet = try #require(bob.protect(rtp(sequence)), "packet \(sequence), keys \(number)")
                #expect(alice.take([packet], at: time) == [rtp(sequence)], "packet \(sequence), keys \(number)")
                recorded.append(packet)
            }
            time += 3000
            #expect(alice.take(recorded, at: time).isEmpty, "keys \(number)")
        }
        #expect(alice.link.srtp.resynchronized == 0)
    }

    @Test("and who sends under keys from before uses no place in their keystream twice")
    func formerKeystream() throws {
        let bob = try ends(seed: 20).bob
        #expect(bob.protect(rtp(100)) != nil)
        try bob.link.setKeys(keys(.aes128CM80, seed: 21).bob)
        #expect(bob.protect(rtp(101)) != nil)
        try bob.link.setKeys(keys(.aes128CM80, seed: 20).bob)
        #expect(bob.protect(rtp(100)) == nil)
        #expect(bob.protect(rtp(102)) != nil)
    }

    @Test("on another link under the same keys, when ICE comes or goes: in both ways, in the round it was in, without replays")
    func otherLink() throws {
        let (alice, bob) = try ends()
        for sequence in 65_500..<65_600 { #expect(alice.take([try #require(bob.protect(rtp(sequence)))]).count == 1) }
        let recorded = try #require(bob.protect(rtp(65_600)))
        #expect(alice.take([recorded]).count == 1)
        let wire = HandLink()
        alice.link.setLower(wire)
        alice.link.advance(to: .zero)
        #expect(wire.admitted == .anyone)
        wire.waiting = [(recorded, Place.bob), (try #require(bob.protect(rtp(65_601))), Place.bobElsewhere)]
        var heard: [[UInt8]] = []
        alice.link.receive(now: .zero) { heard.append(Array($0.bytes)) }
        #expect(heard == [rtp(65_601)])
        #expect(alice.link.srtp.replayed == 1 && alice.link.srtp.failed == 0)
        #expect(wire.peer == LinkPeer(media: Place.bobElsewhere))
        #expect(alice.protect(rtp(1)) == nil && alice.wire.sent.isEmpty, "nothing goes where the media went before")
        #expect(bob.take(wire.sent) == [rtp(1)])
    }

    @Test("through a change of SSRC and back, in any round", arguments: SRTPSuite.allCases)
    func changeOfSource(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        for sequence in 65_500..<65_600 {
            #expect(alice.take([try #require(bob.protect(rtp(sequence, ssrc: 1)))]) == [rtp(sequence, ssrc: 1)])
        }
        for sequence in 40_000..<40_100 {
            #expect(alice.take([try #require(bob.protect(rtp(sequence, ssrc: 2)))]) == [rtp(sequence, ssrc: 2)])
        }
        for sequence in 65_600..<65_700 {
            #expect(alice.take([try #require(bob.protect(rtp(sequence, ssrc: 1)))]) == [rtp(sequence, ssrc: 1)])
        }
        #expect(alice.link.srtp.failed == 0 && alice.link.srtp.resynchronized == 0)
    }

    @Test("through every wrap of the sequence number, with loss and reordering across it", arguments: SRTPSuite.allCases)
    func wrap(suite: SRTPSuite) throws {
        let seed: UInt64 = 5
        var random = SplitMix64(seed: seed)
        let (alice, bob) = try ends(suite)
        var heard = 0
        var sent = 0
        // Steps make three rounds quick, within the replay window of 256; around each wrap every number is used.
        var sequence = 60_000
        while sequence < 3 * 65_536 + 5000 {
            let isNearWrap = (sequence + 300) % 65_536 < 600
            var group: [[UInt8]] = []
            for _ in 0..<8 {
                let packet = try #require(bob.protect(rtp(sequence)))
                sequence += isNearWrap ? 1 : 30
                if random.unit() < 0.8 { group.append(packet) }
            }
            sent += group.count
            heard += alice.take(group.shuffled(using: &random)).count
        }
        #expect(heard == sent, "seed \(seed)")
        #expect(alice.link.srtp.failed == 0, "seed \(seed)")
    }

    @Test(
        "through a restart of the stream under the same key, with its rollover counter at 0 again",
        arguments: SRTPSuite.allCases)
    func restart(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        for sequence in 65_000..<66_000 { #expect(alice.take([try #require(bob.protect(rtp(sequence)))]).count == 1) }
        // Bob's program begins anew: same key, same SSRC, a sequence number of its own choice.
        let bobAgain = try SRTPEnd(keys(suite, seed: 1).bob)
        var heard = 0
        for number in 0..<50 {
            let packet = try #require(bobAgain.protect(rtp(30_000 + number)))
            heard += alice.take([packet], at: 1000 + Double(number) * 20).count
        }
        #expect(heard == 50)
        #expect(alice.link.srtp.resynchronized == 1)
    }

    @Test("and a restart opens nothing to who recorded the stream before it", arguments: SRTPSuite.allCases)
    func restartIsNoReplay(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        let recorded = try (65_000..<66_000).map { try #require(bob.protect(rtp($0))) }
        #expect(alice.take(recorded).count == 1000)
        let bobAgain = try SRTPEnd(keys(suite, seed: 1).bob)
        for number in 0..<25 {
            _ = alice.take([try #require(bobAgain.protect(rtp(30_000 + number)))], at: 1000 + Double(number) * 20)
        }
        #expect(alice.take(recorded, at: 5000).isEmpty)
        #expect(alice.take(recorded, at: 9000).isEmpty)
        // And the stream goes on where it was.
        for number in 25..<50 {
            #expect(alice.take([try #require(bobAgain.protect(rtp(30_000 + number)))], at: 9000).count == 1)
        }
    }

    @Test("and a recording of an earlier round opens nothing in a later one, after any silence", arguments: SRTPSuite.allCases)
    func earlierRound(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        var recorded: [[UInt8]] = []
        for sequence in stride(from: 50_000, to: 3 * 65_536, by: 200) {
            recorded.append(try #require(bob.protect(rtp(sequence))))
            #expect(alice.take([recorded[recorded.count - 1]]).count == 1)
        }
        for (number, packet) in recorded.enumerated() {
            #expect(alice.take([packet], at: 10_000 + Double(number) * 200).isEmpty, "packet \(number)")
        }
        #expect(alice.link.srtp.resynchronized == 0)
        #expect(alice.take([try #require(bob.protect(rtp(3 * 65_536)))], at: 1_000_000).count == 1)
    }

    @Test("with a stream that is joined in its fifth round", arguments: SRTPSuite.allCases)
    func lateJoin(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        for sequence in stride(from: 0, to: 4 * 65_536 + 100, by: 20_000) { _ = bob.protect(rtp(sequence)) }
        for sequence in 4 * 65_536 + 200..<4 * 65_536 + 250 {
            #expect(alice.take([try #require(bob.protect(rtp(sequence)))]) == [rtp(sequence)])
        }
    }
}
