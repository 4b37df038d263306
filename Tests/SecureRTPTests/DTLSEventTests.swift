import Link
import Realtime
import SecureRTP
import Testing

/// What the stream above the links is told: by `nextEvent`, like everything of a link.
@Suite("What links tell of their keys") struct DTLSEventTests {
    private func events(_ side: Side) -> [LinkEvent] {
        var found: [LinkEvent] = []
        while let event = side.srtp.nextEvent() { found.append(event) }
        return found
    }

    @Test("keys are told once, with suite and certificate") func secured() throws {
        let pair = try Pair()
        try pair.start(patience: nil)
        #expect(pair.run(until: { pair.isConnected }))
        #expect(pair.talk())
        for (side, peer) in [(pair.alice, pair.bob), (pair.bob, pair.alice)] {
            let secured = events(side).filter { if case .secured = $0 { true } else { false } }
            #expect(
                secured == [.secured(suite: "AEAD_AES_256_GCM", fingerprint: "\(peer.identity.fingerprint)")])
        }
    }

    @Test("another certificate is named as the reason when the time is over, though strangers may try on") func stranger()
        throws
    {
        let pair = try Pair()
        let nobody = try DTLSIdentity().fingerprint
        try pair.bob.dtls.start(.passive, trust: .fingerprints([nobody]), patienceMilliseconds: 3000, now: .zero)
        try pair.alice.dtls.start(.active, trust: .fingerprints([pair.bob.identity.fingerprint]), now: .zero)
        pair.run(4000)
        let told = events(pair.bob)
        let actual = pair.alice.identity.fingerprint
        #expect(told == [.notSecured(reason: "\(DTLSFailure.wrongFingerprint(actual))", isCertificate: true)])
    }

    @Test("nobody there is told as well") func unanswered() throws {
        let pair = try Pair()
        try pair.alice.dtls.start(
            .active, trust: .fingerprints([pair.bob.identity.fingerprint]), patienceMilliseconds: 1000, now: .zero)
        pair.network.run(1500) { pair.alice.turn($0) }
        #expect(events(pair.alice) == [.notSecured(reason: "\(DTLSFailure.unanswered)", isCertificate: false)])
    }

    @Test("a handshake at RTCP's own port is not RTP's") func controlPort() throws {
        let pair = try Pair()
        let port = ControlPort(over: pair.bob.wire)
        let link = DTLSLink(over: port, identity: pair.bob.identity)
        try link.start(.passive, trust: .fingerprints([pair.alice.identity.fingerprint]), now: .zero)
        try pair.alice.dtls.start(.active, trust: .fingerprints([pair.bob.identity.fingerprint]), now: .zero)
        pair.network.run(500) { now in
            pair.alice.turn(now)
            link.receive(now: now) { _ in }
            link.advance(to: now)
        }
        #expect(link.statistics[.stranger] > 0 && !pair.network.log.contains { $0.from == Place.bob })
    }
}

/// Says of every datagram that it came to RTCP's port.
private final class ControlPort: LinkLayer {
    let lower: any PacketLink

    init(over lower: any PacketLink) { self.lower = lower }

    func receive(now: HostTime, _ deliver: (inout ReceivedPacket) -> Void) {
        lower.receive(now: now) { packet in
            var moved = ReceivedPacket(packet.bytes, arrival: packet.arrival, source: packet.source, isOnControlPort: true)
            deliver(&moved)
        }
    }
}
