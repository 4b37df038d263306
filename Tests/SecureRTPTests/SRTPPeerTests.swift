import Link
import Realtime
import SecureRTP
import Testing

@Suite("Where SRTP's packets go") struct SRTPPeerTests {
    private func packets(_ end: SRTPEnd, _ range: Range<Int>) throws -> [[UInt8]] {
        try range.map { try #require(end.protect(rtp($0))) }
    }

    @Test("is where the first authenticated packet came from; forged ones before it choose nobody")
    func chosen() throws {
        let (alice, bob) = try ends()
        #expect(alice.take((0..<20).map { rtp($0) }, from: Place.mallory).isEmpty)
        #expect(alice.wire.peer == nil)
        #expect(alice.link.nextEvent() == nil)
        #expect(alice.take(try packets(bob, 0..<1)).count == 1)
        #expect(alice.wire.peer == LinkPeer(media: Place.bob))
        #expect(alice.link.nextEvent() == .peerLearnt(Place.bob))
    }

    @Test("is where the first report came from, when the peer only listens")
    func chosenByReport() throws {
        let (alice, bob) = try ends()
        #expect(alice.take([try #require(bob.protect(rtcp(), .control))]).count == 1)
        #expect(alice.wire.peer == LinkPeer(media: Place.bob))
    }

    @Test("is the new address after the peer has moved")
    func moved() throws {
        let (alice, bob) = try ends()
        _ = alice.take(try packets(bob, 0..<50))
        while alice.link.nextEvent() != nil {}
        var time = 1000.0
        for packet in try packets(bob, 50..<60) {
            #expect(alice.take([packet], from: Place.bobElsewhere, at: time).count == 1, "heard from the first on")
            time += 20
        }
        #expect(alice.wire.peer == LinkPeer(media: Place.bobElsewhere))
        #expect(alice.link.nextEvent() == .peerMoved(from: Place.bob, to: Place.bobElsewhere))
    }

    @Test("stays when somebody sends copies of all packets quicker than the peer himself")
    func quickCopies() throws {
        let (alice, bob) = try ends()
        _ = alice.take(try packets(bob, 0..<50))
        var heard = 0
        for (number, packet) in try packets(bob, 50..<250).enumerated() {
            heard += alice.take([packet], from: Place.mallory, at: Double(number * 20)).count
            #expect(alice.take([packet], from: Place.bob, at: Double(number * 20 + 5)).isEmpty)
        }
        #expect(heard == 200)
        #expect(alice.wire.peer == LinkPeer(media: Place.bob))
    }

    @Test("is the new address of a peer that only listens, after three of its reports")
    func listenerMoved() throws {
        let (alice, bob) = try ends()
        _ = alice.take(try packets(bob, 0..<3))
        for number in 1...3 {
            #expect(alice.wire.peer == LinkPeer(media: Place.bob))
            let report = try #require(bob.protect(rtcp(), .control))
            #expect(alice.take([report], from: Place.bobElsewhere, at: Double(number) * 5000).count == 1)
        }
        #expect(alice.wire.peer == LinkPeer(media: Place.bobElsewhere))
    }

    @Test("stays when somebody sends copies of all reports of a peer that only listens quicker than the peer himself")
    func quickReports() throws {
        let (alice, bob) = try ends()
        _ = alice.take(try packets(bob, 0..<3))
        for number in 1...10 {
            let report = try #require(bob.protect(rtcp(), .control))
            #expect(alice.take([report], from: Place.mallory, at: Double(number) * 5000).count == 1)
            #expect(alice.take([report], from: Place.bob, at: Double(number) * 5000 + 5).isEmpty)
        }
        #expect(alice.wire.peer == LinkPeer(media: Place.bob))
    }

    @Test("stays when somebody replays a recording")
    func recording() throws {
        let (alice, bob) = try ends()
        let recorded = try packets(bob, 0..<50)
        _ = alice.take(recorded)
        #expect(alice.take(recorded, from: Place.mallory, at: 5000).isEmpty)
        #expect(alice.wire.peer == LinkPeer(media: Place.bob))
    }

    @Test("narrows who is listened to while the peer is heard, and opens in a silence")
    func admission() throws {
        let (alice, bob) = try ends()
        #expect(alice.wire.admitted == .anyone)
        _ = alice.take(try packets(bob, 0..<3), at: 100)
        #expect(alice.wire.admitted == .only(Place.bob))
        _ = alice.take([], at: 300)
        #expect(alice.wire.admitted == .only(Place.bob))
        _ = alice.take([], at: 500)
        #expect(alice.wire.admitted == .anyone)
    }
}
