import Realtime
import SecureRTP
import Testing

@Suite("Messages over a DTLS association") struct DTLSMessageTests {
    private func connected() throws -> Pair {
        let pair = try Pair()
        try pair.start()
        try #require(pair.run(until: { pair.isConnected }))
        return pair
    }

    @Test("pass both ways, each in one piece, up to the longest")
    func bothWays() throws {
        let pair = try connected()
        let texts = [[UInt8]("v=0".utf8), [0], [UInt8](repeating: 7, count: DTLSAssociation.longestMessage)]
        for text in texts {
            #expect(pair.alice.dtls.send(message: text, now: pair.network.now))
            #expect(pair.bob.dtls.send(message: text.reversed(), now: pair.network.now))
            pair.run(20)
        }
        #expect(pair.bob.messages == texts)
        #expect(pair.alice.messages == texts.map { $0.reversed() })
        #expect(pair.network.log.allSatisfy { $0.bytes.count <= DTLSAssociation.mtu })
        #expect(!pair.network.log.contains { $0.bytes.count > 100 && $0.bytes.suffix(100).allSatisfy { $0 == 7 } })
    }

    @Test("too long or empty ones, and those without an association, are refused")
    func refused() throws {
        let pair = try Pair()
        #expect(!pair.alice.dtls.send(message: [1], now: .zero))
        try pair.start()
        #expect(!pair.alice.dtls.send(message: [1], now: .zero))
        #expect(pair.run(until: { pair.isConnected }))
        let tooLong = [UInt8](repeating: 1, count: DTLSAssociation.longestMessage + 1)
        #expect(!pair.alice.dtls.send(message: tooLong, now: pair.network.now))
        #expect(!pair.alice.dtls.send(message: [], now: pair.network.now))
        #expect(pair.alice.dtls.send(message: [1], now: pair.network.now))
    }

    @Test("that come again by a replay are not handed up again")
    func replay() throws {
        let pair = try connected()
        let before = pair.network.log.count
        #expect(pair.alice.dtls.send(message: [1, 2, 3], now: pair.network.now))
        for packet in pair.network.log[before...] {
            for source in [Place.alice, Place.mallory] { pair.network.post(packet.bytes, from: source, to: Place.bob) }
        }
        pair.run(100)
        #expect(pair.bob.messages == [[1, 2, 3]])
    }

    @Test("a goodbye is told to the other side, and ends both", arguments: [true, false])
    func goodbye(aliceGoes: Bool) throws {
        let pair = try connected()
        let (going, staying) = aliceGoes ? (pair.alice, pair.bob) : (pair.bob, pair.alice)
        going.dtls.close(now: pair.network.now)
        pair.run(100)
        #expect(going.dtls.state == .closed && staying.dtls.state == .closed)
        #expect(staying.events.last == .association(.closed))
        #expect(!staying.dtls.send(message: [1], now: pair.network.now))
        #expect(!going.dtls.send(message: [1], now: pair.network.now))
    }

    @Test("and keys are held back until somebody has judged the peer's certificate")
    func judged() throws {
        let pair = try Pair()
        try pair.start(bobTrusts: .ask)
        #expect(pair.run(until: { pair.bob.dtls.state == .undecided && pair.alice.dtls.state == .connected }))
        #expect(pair.bob.events == [.association(.undecided(pair.alice.identity.fingerprint))])
        #expect(pair.alice.dtls.send(message: [1, 2, 3], now: pair.network.now))
        _ = pair.alice.srtp.send(copying: rtp(1), on: .media, now: pair.network.now)
        pair.run(100)
        #expect(pair.bob.messages.isEmpty && pair.bob.heard.isEmpty && !pair.bob.srtp.hasKeys)
        #expect(!pair.bob.dtls.send(message: [4], now: pair.network.now))
        #expect(pair.bob.wire.peer == nil)
        pair.bob.dtls.accept(now: pair.network.now)
        pair.run(20)
        #expect(pair.bob.messages == [[1, 2, 3]])
        #expect(pair.talk(2))
    }

    @Test("nobody who was refused hears or says anything")
    func rejected() throws {
        let pair = try Pair()
        try pair.start(bobTrusts: .ask)
        #expect(pair.run(until: { pair.bob.dtls.state == .undecided && pair.alice.dtls.state == .connected }))
        pair.bob.dtls.close(now: pair.network.now)
        pair.run(100)
        #expect(pair.alice.dtls.state == .closed)
        #expect(!pair.bob.srtp.hasKeys)
        // And the next one may try.
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
    }
}
