import Link
import Realtime
import SecureRTP
import Testing

@Suite("Strangers at the port of a DTLS call") struct DTLSStrangerTests {
    /// A hello as an active association sends it.
    private func hello() throws -> [UInt8] {
        let association = try DTLSAssociation(DTLSIdentity(), .active, trust: .ask)
        association.start(now: .zero)
        return try #require(association.takeDatagrams().first)
    }

    private func stranger(_ number: UInt64) -> SocketAddress {
        SocketAddress(IPAddress(v4: UInt32(truncatingIfNeeded: 0x0a00_0000 + number)), port: UInt16(1024 + number % 60_000))
    }

    @Test("hellos from 20,000 forged addresses leave no trace, are answered by less than they brought, and keep nobody out")
    func flood() throws {
        let pair = try Pair()
        try pair.bob.dtls.start(
            .passive, trust: .fingerprints([pair.alice.identity.fingerprint]), patienceMilliseconds: nil, now: .zero)
        let hello = try hello()
        for number in 0..<20_000 as Range<UInt64> {
            pair.network.post(hello, from: stranger(number), to: Place.bob)
            if number % 500 == 499 {
                pair.network.run(20) { pair.bob.turn($0) }
                #expect(pair.bob.dtls.nextDeadline == nil, "a handshake of a stranger waits for something")
            }
        }
        let answers = pair.network.log.filter { $0.from == Place.bob }
        #expect(answers.count == 20_000)
        #expect(answers.allSatisfy { $0.bytes.count < hello.count / 2 })
        #expect(pair.bob.dtls.statistics[.stranger] == 20_000)
        try pair.alice.dtls.start(.active, trust: .fingerprints([pair.bob.identity.fingerprint]), now: pair.network.now)
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
    }

    @Test(
        "a cookie is good at the address and port only that it was made for",
        arguments: [Place.mallory, Place.aliceElsewhere, Place.aliceOnAnotherPort])
    func foreignCookie(stranger: SocketAddress) throws {
        let pair = try Pair()
        var withCookie: [[UInt8]] = []
        pair.network.tamper = { from, bytes in
            guard from == Place.alice else { return bytes }
            withCookie.append(bytes)
            return withCookie.count <= 1 ? bytes : nil
        }
        try pair.start(patience: nil)
        pair.run(90)
        try #require(withCookie.count == 2)
        pair.network.tamper = nil
        let sent = pair.network.log.count
        pair.network.post(withCookie[1], from: stranger, to: Place.bob)
        pair.network.run(50) { pair.bob.turn($0) }
        let answers = pair.network.log[sent...].filter { $0.to == stranger }
        // A new cookie, and nothing of a handshake.
        #expect(answers.count == 1 && answers.allSatisfy { $0.bytes.count < 100 })
        #expect(pair.bob.dtls.nextDeadline == nil)
        #expect(pair.run(until: { pair.isConnected }))
    }

    @Test(
        "many who begin a handshake for real, and stop, do not keep the peer out, and only a few are waited for",
        arguments: [true, false])
    func stalled(isOneAddress: Bool) throws {
        let pair = try Pair()
        try pair.bob.dtls.start(
            .passive, trust: .fingerprints([pair.alice.identity.fingerprint]), patienceMilliseconds: nil, now: .zero)
        var stalled: [Side] = []
        for number in 0..<30 as Range<UInt64> {
            let place = isOneAddress ? SocketAddress(Place.mallory.address, port: UInt16(1000 + number)) : stranger(number)
            let side = try Side(pair.network, place, peer: Place.bob)
            try side.dtls.start(.active, trust: .ask, now: pair.network.now)
            stalled.append(side)
        }
        // Each hears the cookie, sends it, and then nothing more.
        pair.network.run(35) { now in
            for side in stalled { side.turn(now) }
            pair.bob.turn(now)
        }
        #expect(pair.bob.dtls.nextDeadline != nil)
        // Those who still have a handshake are sent its flight again.
        let before = pair.network.log.count
        pair.network.run(400) { pair.bob.turn($0) }
        let waitedFor = Set(pair.network.log[before...].map(\.to))
        #expect(waitedFor.count == (isOneAddress ? DTLSLink.mostCandidatesOfAddress : DTLSLink.mostCandidates))
        try pair.alice.dtls.start(.active, trust: .fingerprints([pair.bob.identity.fingerprint]), now: pair.network.now)
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
        #expect(pair.bob.wire.peer == LinkPeer(media: Place.alice))
    }

    @Test("one with a certificate of his own is refused, and the peer comes through beside him")
    func wrongOne() throws {
        let pair = try Pair()
        try pair.bob.dtls.start(
            .passive, trust: .fingerprints([pair.alice.identity.fingerprint]), patienceMilliseconds: nil, now: .zero)
        let mallory = try Side(pair.network, Place.mallory, peer: Place.bob)
        try mallory.dtls.start(.active, trust: .ask, now: .zero)
        try pair.alice.dtls.start(.active, trust: .fingerprints([pair.bob.identity.fingerprint]), now: .zero)
        let isConnected = pair.network.run(2000) {
            mallory.turn($0)
            pair.alice.turn($0)
            pair.bob.turn($0)
        } until: {
            pair.isConnected
        }
        #expect(isConnected)
        #expect(pair.talk())
        #expect(!mallory.srtp.hasKeys)
    }

    @Test("nobody ends or disturbs a call: not with hellos, alerts, noise, or what the peer sent before")
    func disturbance() throws {
        let seed: UInt64 = 21
        var random = SplitMix64(seed: seed)
        let pair = try Pair(seed: seed)
        try pair.start()
        #expect(pair.run(until: { pair.isConnected }))
        let recorded = pair.network.log.filter { $0.to == Place.bob }.map(\.bytes)
        let hello = try hello()
        let goodbye: [UInt8] = [21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0]
        let fatal: [UInt8] = [21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 2, 40]
        for number in 0..<100 {
            // From elsewhere, and from the peer's own address, which can be forged.
            for source in [Place.mallory, Place.alice] {
                for bytes in recorded + [hello, goodbye, fatal] {
                    pair.network.post(bytes, from: source, to: Place.bob)
                    var mutated = bytes
                    for _ in 0..<3 {
                        mutated[Int.random(in: 1..<mutated.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                    }
                    pair.network.post(mutated, from: source, to: Place.bob)
                }
                let noise = [22] + (0..<60).map { _ in UInt8.random(in: 0...255, using: &random) }
                pair.network.post(noise, from: source, to: Place.bob)
            }
            #expect(pair.talk(number), "turn \(number), seed \(seed)")
        }
        #expect(pair.bob.dtls.state == .connected)
        #expect(pair.bob.wire.peer == LinkPeer(media: Place.alice))
        #expect(pair.alice.dtls.send(message: [1, 2, 3], now: pair.network.now))
        pair.run(50)
        #expect(pair.bob.messages == [[1, 2, 3]])
    }

    @Test("noise during a handshake ends in an association or in a reason", arguments: 1...200)
    func mutatedHandshake(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let pair = try Pair(seed: UInt64(seed), isPathChecked: seed % 2 == 0)
        pair.network.tamper = { _, bytes in
            guard random.unit() < 0.5, !bytes.isEmpty else { return bytes }
            var mutated = bytes
            switch Int.random(in: 0..<3, using: &random) {
            case 0: mutated[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            case 1: mutated.removeLast(Int.random(in: 1...bytes.count, using: &random))
            default: mutated += (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            return mutated
        }
        try pair.start(patience: 4000)
        pair.run(5000)
        for side in [pair.alice, pair.bob] {
            switch side.dtls.state {
            case .connected: #expect(side.srtp.hasKeys)
            case .failed: #expect(!side.srtp.hasKeys)
            case .closed: break
            default: Issue.record("seed \(seed): \(side.dtls.state)")
            }
        }
        if pair.isConnected {
            pair.network.tamper = nil
            #expect(pair.talk(), "seed \(seed)")
        }
    }

    @Test("records that no key made end no association, whatever they say they are", arguments: [true, false])
    func forgedRecords(toBob: Bool) throws {
        let pair = try Pair()
        try pair.start()
        try #require(pair.run(until: { pair.isConnected }))
        let (from, to) = toBob ? (Place.alice, Place.bob) : (Place.bob, Place.alice)
        for type in 19...26 as ClosedRange<UInt8> {
            for epoch in 0...3 as ClosedRange<UInt8> {
                for length in 0...48 as ClosedRange<UInt8> {
                    let header: [UInt8] = [type, 0xfe, 0xfd, 0, epoch, 0, 0, 0, 1, 0, length, 0, length]
                    let record = header + [UInt8](repeating: length, count: Int(length))
                    for source in [from, Place.mallory] { pair.network.post(record, from: source, to: to) }
                }
                pair.run(20)
            }
        }
        #expect(pair.alice.dtls.state == .connected && pair.bob.dtls.state == .connected)
        #expect(pair.alice.dtls.send(message: [1], now: pair.network.now))
        #expect(pair.bob.dtls.send(message: [2], now: pair.network.now))
        pair.run(50)
        #expect(pair.bob.messages == [[1]] && pair.alice.messages == [[2]])
        #expect(pair.talk())
    }

    @Test("the association's own datagrams, mutated and repeated, end it never", arguments: 1...8 as ClosedRange<UInt64>)
    func mutated(seed: UInt64) throws {
        let pair = try Pair()
        try pair.start()
        try #require(pair.run(until: { pair.isConnected }))
        for number in 0..<20 as Range<UInt8> {
            _ = pair.alice.dtls.send(message: [number], now: pair.network.now)
            _ = pair.bob.dtls.send(message: [number], now: pair.network.now)
        }
        pair.run(50)
        let seen = pair.network.log
        var random = SplitMix64(seed: seed)
        for number in 0..<4000 {
            guard let (from, to, original) = seen.randomElement(using: &random) else { break }
            var bytes = original
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 0..<min(bytes.count, 20), using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &random)))
            pair.network.post(bytes, from: from, to: to)
            if number % 100 == 99 { pair.run(20) }
        }
        pair.run(50)
        #expect(pair.alice.dtls.state == .connected && pair.bob.dtls.state == .connected, "seed \(seed)")
        #expect(pair.bob.messages.count == 20 && pair.alice.messages.count == 20, "seed \(seed)")
        #expect(pair.talk(), "seed \(seed)")
    }
}
