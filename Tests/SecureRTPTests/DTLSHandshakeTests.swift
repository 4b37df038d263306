import Realtime
import SecureRTP
import Testing

@Suite("A DTLS handshake") struct DTLSHandshakeTests {
    @Test(
        "agrees upon each suite that DTLS knows, and speech passes both ways",
        arguments: SRTPSuite.allCases.filter { $0.dtlsProfile != nil })
    func eachSuite(suite: SRTPSuite) throws {
        let pair = try Pair(aliceHas: SRTPSuite.allCases, bobHas: [suite])
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
        #expect(pair.alice.session?.suite == suite && pair.bob.session?.suite == suite)
        #expect(pair.alice.session?.peer == pair.bob.identity.fingerprint)
        #expect(pair.bob.session?.peer == pair.alice.identity.fingerprint)
        #expect(pair.alice.session?.cipher.hasPrefix("ECDHE-ECDSA-AES") == true)
        #expect(pair.alice.srtp.srtp.suite == suite)
    }

    @Test("takes two round trips, and one more where cookies are asked for", arguments: [true, false])
    func roundTrips(isPathChecked: Bool) throws {
        let pair = try Pair(weather: .init(delay: 50...50), isPathChecked: isPathChecked)
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        let time = pair.network.now.milliseconds(since: .zero)
        // The first flight that was not answered within 100 ms was sent again; that changes nothing else.
        #expect((isPathChecked ? 200...230 : 300...340).contains(time), "\(time) ms")
        #expect(pair.talk())
    }

    @Test("has the passive side's preference decide")
    func preference() throws {
        let pair = try Pair(aliceHas: [.aeadAES256GCM, .aes128CM80], bobHas: [.aes128CM80, .aeadAES256GCM])
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.alice.session?.suite == .aes128CM80)
    }

    @Test("works with a peer whose key is RSA, whoever is active", arguments: [true, false])
    func rsa(isAlice: Bool) throws {
        let identity = try ForeignIdentity.rsa(bits: 2048)
        let pair = try Pair(aliceIs: isAlice ? identity : nil, bobIs: isAlice ? nil : identity)
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
    }

    @Test(
        "sends no datagram above the limit, and joins what comes in pieces, also when pieces are lost and reordered",
        arguments: 1...20)
    func fragments(seed: Int) throws {
        let identity = try ForeignIdentity.withLongCertificate()
        #expect(identity.certificate.count > 2 * DTLSAssociation.mtu)
        let weather = VirtualNetwork.Weather(loss: 0.2, duplication: 0.1, delay: 5...60)
        let pair = try Pair(seed: UInt64(seed), weather: weather, aliceIs: identity, bobIs: identity)
        try pair.start()
        #expect(pair.run(20_000, until: { pair.isConnected }), "seed \(seed)")
        #expect(pair.network.log.allSatisfy { $0.bytes.count <= DTLSAssociation.mtu })
        #expect(pair.network.log.contains { $0.bytes.count > DTLSAssociation.mtu - 100 })
    }

    @Test("accepts fingerprints by SHA-384 and SHA-512, and any one of several", arguments: DTLSFingerprint.Hash.allCases)
    func hashes(hash: DTLSFingerprint.Hash) throws {
        let pair = try Pair()
        let real = try #require(DTLSFingerprint(hash, of: pair.bob.identity.certificate))
        let other = try #require(DTLSFingerprint(hash, [UInt8](repeating: 7, count: hash.length)))
        try pair.start(aliceTrusts: .fingerprints([other, real]))
        #expect(pair.run(until: { pair.isConnected }))
    }

    @Test("that begins before we know the fingerprint waits for it, and loses no time", arguments: [true, false])
    func earlyHello(isPathChecked: Bool) throws {
        let pair = try Pair(isPathChecked: isPathChecked)
        try pair.alice.dtls.start(.active, trust: .fingerprints([pair.bob.identity.fingerprint]), now: pair.network.now)
        pair.run(450)
        #expect(pair.bob.dtls.state == .idle)
        try pair.bob.dtls.start(.passive, trust: .fingerprints([pair.alice.identity.fingerprint]), now: pair.network.now)
        #expect(pair.run(80, until: { pair.isConnected }), "\(pair.alice.dtls.state) \(pair.bob.dtls.state)")
        #expect(pair.talk())
    }

    @Test("sends its first flight again after 100 ms, 200 ms and so on, by the deadlines that it tells")
    func deadlines() throws {
        let association = try DTLSAssociation(DTLSIdentity(), .active, trust: .ask)
        var now = HostTime.zero
        association.start(patienceMilliseconds: 60_000, now: now)
        var times: [Double] = []
        while association.state == .handshaking {
            if !association.takeDatagrams().isEmpty { times.append(now.milliseconds(since: .zero)) }
            let next = try #require(association.nextDeadline)
            // A little early there is nothing to do.
            association.advance(to: next.advanced(byMilliseconds: -1))
            #expect(association.takeDatagrams().isEmpty)
            now = next
            association.advance(to: now)
        }
        #expect(times.prefix(7) == [0, 100, 300, 700, 1500, 3100, 4700])
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 <= 1600 })
        #expect(times.count > 30, "OpenSSL's own limit of a dozen is not ours")
        #expect(association.state == .failed(.unanswered))
        #expect(now == HostTime(milliseconds: 60_000))
        #expect(association.nextDeadline == nil)
    }

    @Test("goes through when the very last flight is lost, several times")
    func lastFlight() throws {
        let pair = try Pair()
        var lost = 0
        // A change of cipher from Bob is in his last flight only.
        pair.network.tamper = { from, bytes in
            guard from == Place.bob, bytes.first == 20, lost < 4 else { return bytes }
            lost += 1
            return nil
        }
        try pair.start()
        #expect(pair.run(10_000, until: { pair.isConnected }))
        #expect(lost == 4)
        #expect(pair.talk())
    }

    @Test("again in mid-call, with a peer who has another certificate now: the call goes on under new keys")
    func again() throws {
        let pair = try Pair()
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk(1))
        let bob = try Side(pair.network, Place.bob, peer: nil)
        #expect(bob.identity.fingerprint != pair.bob.identity.fingerprint)
        try bob.dtls.start(.passive, trust: .fingerprints([pair.alice.identity.fingerprint]), now: pair.network.now)
        try pair.alice.dtls.start(.active, trust: .fingerprints([bob.identity.fingerprint]), now: pair.network.now)
        #expect(pair.alice.srtp.hasKeys, "the former keys go on meanwhile")
        let isConnected = pair.network.run(1000) {
            pair.alice.turn($0)
            bob.turn($0)
        } until: {
            pair.alice.dtls.state == .connected && bob.dtls.state == .connected
        }
        #expect(isConnected)
        _ = pair.alice.srtp.send(copying: rtp(2, ssrc: 1), on: .media, now: pair.network.now)
        _ = bob.srtp.send(copying: rtp(2, ssrc: 2), on: .media, now: pair.network.now)
        pair.network.run(100) {
            pair.alice.turn($0)
            bob.turn($0)
        }
        #expect(pair.alice.heard == [rtp(1, ssrc: 2), rtp(2, ssrc: 2)])
        #expect(bob.heard == [rtp(2, ssrc: 1)])
        #expect(pair.alice.srtp.srtp.failed == 0)
    }
}
