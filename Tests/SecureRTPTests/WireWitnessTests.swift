import Link
import SecureRTP
import Testing

@Suite("Who is shown the wire of an encrypted stream") struct WireWitnessTests {
    private final class Witness: WireWitness {
        private(set) var sent: [[UInt8]] = []
        private(set) var received: [[UInt8]] = []

        func note(sent packet: OutgoingPacket, to peer: LinkPeer) { sent.append(Array(packet.bytes)) }
        func note(received packet: ReceivedPacket) { received.append(Array(packet.bytes)) }
    }

    /// A layer that changes nothing.
    private final class Above: LinkLayer {
        let lower: any PacketLink
        init(over lower: any PacketLink) { self.lower = lower }
    }

    @Test(
        "sees each packet as it leaves and as it comes, forged ones too, and the stream sees them plain",
        arguments: SRTPSuite.allCases)
    func wire(suite: SRTPSuite) throws {
        let (alice, bob) = try ends(suite)
        let witness = Witness()
        alice.link.witness = witness
        let theirs = [try #require(bob.protect(rtp(1))), try #require(bob.protect(rtcp(), .control)), rtp(2)]
        #expect(alice.take(theirs) == [rtp(1), rtcp()])
        #expect(witness.received == theirs)
        let ours = [try #require(alice.protect(rtp(5))), try #require(alice.protect(rtcp(9), .control))]
        #expect(witness.sent == ours)
        #expect(ours[0] != rtp(5) && ours[1] != rtcp(9))
    }

    @Test("finds the layer that encrypts below others, and none where nothing is encrypted")
    func found() throws {
        let link = try ends().alice.link
        #expect(Above(over: Above(over: link)).encryptingLayer === link)
        #expect(link.encryptingLayer === link)
        #expect(Above(over: HandLink()).encryptingLayer == nil)
    }
}
