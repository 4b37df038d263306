import Link
import Realtime
import SecureRTP
import Testing

@Suite("A DTLS handshake that cannot be") struct DTLSFailureTests {
    private func isSilent(_ side: Side, _ pair: Pair) -> Bool {
        !side.srtp.hasKeys && !side.srtp.send(copying: rtp(1), on: .media, now: pair.network.now)
    }

    @Test("the passive side's certificate is another than announced: no keys, and the other is told")
    func wrongPassive() throws {
        let pair = try Pair(isPathChecked: true)
        let announced = try DTLSIdentity().fingerprint
        try pair.start(aliceTrusts: .fingerprints([announced]))
        pair.run()
        #expect(pair.alice.failure == .wrongFingerprint(pair.bob.identity.fingerprint))
        #expect(pair.alice.events == [.association(.failed(.wrongFingerprint(pair.bob.identity.fingerprint)))])
        guard case .refusedByPeer = pair.bob.failure else {
            Issue.record("\(pair.bob.dtls.state)")
            return
        }
        #expect(isSilent(pair.alice, pair) && isSilent(pair.bob, pair))
    }

    @Test("the active side's certificate is another than announced: no keys, and whoever comes next may be the right one")
    func wrongActive() throws {
        let pair = try Pair()
        try pair.start(bobTrusts: .fingerprints([try DTLSIdentity().fingerprint]), patience: 5000)
        pair.run(4000)
        let reason = DTLSFailure.wrongFingerprint(pair.alice.identity.fingerprint)
        #expect(pair.bob.events.first == .refused(reason, from: Place.alice))
        #expect(pair.bob.dtls.state == .handshaking)
        guard case .refusedByPeer = pair.alice.failure else {
            Issue.record("\(pair.alice.dtls.state)")
            return
        }
        #expect(isSilent(pair.alice, pair) && isSilent(pair.bob, pair))
        pair.run(2000)
        // Nobody else came: that is why.
        #expect(pair.bob.failure == reason)
    }

    @Test("no fingerprint at all accepts nobody")
    func noFingerprint() throws {
        let pair = try Pair(isPathChecked: true)
        try pair.start(aliceTrusts: .fingerprints([]))
        pair.run()
        #expect(pair.alice.failure == .wrongFingerprint(pair.bob.identity.fingerprint))
    }

    @Test("no suite in common", arguments: [true, false])
    func noCommonProfile(isPathChecked: Bool) throws {
        let pair = try Pair(aliceHas: [.aeadAES256GCM], bobHas: [.aes128CM80], isPathChecked: isPathChecked)
        try pair.start(patience: 3000)
        pair.run(4000)
        #expect(pair.alice.failure == .noCommonProfile)
        #expect(isSilent(pair.alice, pair) && isSilent(pair.bob, pair))
        if isPathChecked {
            #expect(pair.bob.failure == .noCommonProfile)
        } else {
            #expect(pair.bob.events.first == .refused(.noCommonProfile, from: Place.alice))
        }
    }

    @Test("a peer whose key is absurdly long is refused before anything is computed with it", arguments: [true, false])
    func absurdKey(isAlice: Bool) throws {
        let identity = try ForeignIdentity.absurd(bits: 9000)
        let pair = try Pair(aliceIs: isAlice ? identity : nil, bobIs: isAlice ? nil : identity, isPathChecked: true)
        try pair.start(aliceTrusts: .ask, bobTrusts: .ask)
        pair.run()
        #expect((isAlice ? pair.bob : pair.alice).failure == .unsuitableKey(bits: 9000))
        #expect(isSilent(pair.alice, pair) && isSilent(pair.bob, pair))
    }

    @Test("suites that DTLS has no numbers for are refused at the start")
    func noSuites() throws {
        let pair = try Pair(aliceHas: [.aes256CM80], bobHas: [])
        #expect(throws: DTLSFailure.noSuites) { try pair.alice.dtls.start(.active, trust: .ask, now: .zero) }
        #expect(throws: DTLSFailure.noSuites) { try pair.bob.dtls.start(.passive, trust: .ask, now: .zero) }
        #expect(pair.alice.dtls.state == .idle)
    }

    @Test("a peer who never answers")
    func unanswered() throws {
        let pair = try Pair()
        try pair.alice.dtls.start(.active, trust: .ask, patienceMilliseconds: 30_000, now: .zero)
        try pair.bob.dtls.start(.passive, trust: .ask, patienceMilliseconds: 30_000, now: .zero)
        pair.network.tamper = { _, _ in nil }
        pair.run(29_900)
        #expect(pair.alice.dtls.state == .handshaking)
        pair.run(200)
        #expect(pair.alice.failure == .unanswered)
        #expect(pair.bob.failure == .unanswered)
        let sent = pair.network.log.count
        pair.run(10_000)
        #expect(pair.network.log.count == sent, "it is over")
        #expect(pair.alice.dtls.nextDeadline == nil)
    }

    @Test("a handshake whose patience is shortened ends then, and one that has less time already is as it was")
    func shortened() throws {
        let pair = try Pair()
        try pair.alice.dtls.start(.active, trust: .ask, patienceMilliseconds: 200_000, now: .zero)
        try pair.bob.dtls.start(.passive, trust: .ask, patienceMilliseconds: 6000, now: .zero)
        pair.network.tamper = { _, _ in nil }
        pair.run(5000)
        for side in [pair.alice, pair.bob] { side.dtls.shortenPatience(toMilliseconds: 20_000) }
        pair.run(1100)
        #expect(pair.bob.failure == .unanswered)
        pair.run(18_800)
        #expect(pair.alice.dtls.state == .handshaking)
        pair.run(200)
        #expect(pair.alice.failure == .unanswered)
    }

    @Test("a handshake that stands has all the time, whatever its patience")
    func shortenedTooLate() throws {
        let pair = try Pair()
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        for side in [pair.alice, pair.bob] { side.dtls.shortenPatience(toMilliseconds: 100) }
        pair.run(1000)
        #expect(pair.isConnected && pair.talk())
    }

    @Test("a peer who begins and falls silent, whoever he is", arguments: [Place.alice, Place.bob])
    func half(silent: SocketAddress) throws {
        let pair = try Pair(isPathChecked: true)
        var passed = 0
        pair.network.tamper = { from, bytes in
            guard from == silent else { return bytes }
            passed += 1
            return passed <= 1 ? bytes : nil
        }
        try pair.start(patience: 5000)
        pair.run(6000)
        let other = silent == Place.alice ? pair.bob : pair.alice
        #expect(other.failure == .incomplete)
        #expect(isSilent(other, pair))
    }

    @Test("stored keys that are none, or of another certificate, are refused")
    func identities() throws {
        let (first, second) = (try DTLSIdentity(), try DTLSIdentity())
        let again = try DTLSIdentity(key: first.key, certificate: first.certificate)
        #expect(again.fingerprint == first.fingerprint)
        #expect(first.fingerprint != second.fingerprint)
        #expect(throws: DTLSFailure.badIdentity) { try DTLSIdentity(key: second.key, certificate: first.certificate) }
        #expect(throws: DTLSFailure.badIdentity) { try DTLSIdentity(key: Secret([]), certificate: []) }
        #expect(throws: DTLSFailure.badIdentity) { try DTLSIdentity(key: Secret([1, 2, 3]), certificate: first.certificate) }
        #expect(throws: DTLSFailure.badIdentity) { try DTLSIdentity(days: 0) }
        for length in stride(from: 0, to: first.certificate.count, by: 7) {
            let cut = Array(first.certificate[..<length])
            #expect(throws: DTLSFailure.badIdentity) { try DTLSIdentity(key: first.key, certificate: cut) }
        }
    }

    @Test("an identity that was stored is known again by the peer")
    func storedIdentity() throws {
        let first = try DTLSIdentity()
        let pair = try Pair(bobIs: try DTLSIdentity(key: first.key, certificate: first.certificate))
        try pair.start(aliceTrusts: .fingerprints([first.fingerprint]))
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
    }
}
