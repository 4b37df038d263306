import Link
import Realtime
import SecureRTP
import Testing

@Suite("Two stacks of links over a network") struct SecureLinkTests {
    @Test(
        "agree upon keys and exchange protected RTP and RTCP, whatever is lost, doubled and reordered", arguments: 1...40)
    func badNetwork(seed: Int) throws {
        let network = VirtualNetwork(
            seed: UInt64(seed), weather: .init(loss: 0.3, duplication: 0.2, delay: 10...80))
        let alice = try Side(network, Place.alice, peer: Place.bob)
        let bob = try Side(network, Place.bob, peer: nil)
        try alice.dtls.start(.active, trust: .fingerprints([bob.identity.fingerprint]), now: network.now)
        try bob.dtls.start(.passive, trust: .fingerprints([alice.identity.fingerprint]), now: network.now)
        let isConnected = network.run(20_000) {
            alice.turn($0)
            bob.turn($0)
        } until: {
            alice.dtls.state == .connected && bob.dtls.state == .connected
        }
        try #require(isConnected, "seed \(seed): \(alice.dtls.state), \(bob.dtls.state)")
        #expect(bob.wire.peer == LinkPeer(media: Place.alice))

        var sent: [[UInt8]] = []
        for number in 0..<200 {
            network.run(20) {
                alice.turn($0)
                bob.turn($0)
            }
            for (side, ssrc) in [(alice, UInt32(1)), (bob, 2)] {
                let packet = rtp(number, ssrc: ssrc)
                sent.append(packet)
                #expect(side.srtp.send(copying: packet, on: .media, now: network.now))
                if number % 10 == 0 {
                    let report = rtcp(UInt8(number), ssrc: ssrc)
                    sent.append(report)
                    #expect(side.srtp.send(copying: report, on: .control, now: network.now))
                }
            }
        }
        network.run(200) {
            alice.turn($0)
            bob.turn($0)
        }
        for side in [alice, bob] {
            #expect(side.heard.allSatisfy { sent.contains($0) })
            #expect(Set(side.heard).count == side.heard.count, "nothing is heard twice")
            #expect((100...180).contains(side.heard.count), "seed \(seed): heard \(side.heard.count)")
            #expect(side.srtp.srtp.failed == 0)
            #expect(side.srtp.srtp.suite == .aeadAES256GCM)
        }
        // Nothing went in the clear.
        for packet in sent { #expect(!network.log.contains { $0.bytes.starts(with: packet) }) }
    }
}
