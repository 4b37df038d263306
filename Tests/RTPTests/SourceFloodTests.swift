import RTP
import Realtime
import Testing

@Suite("A stranger who floods the port with new sources") struct SourceFloodTests {
    @Test("from the very start does not keep the peer out: it is heard within a second", arguments: [1, 2, 3, 4] as [UInt64])
    func peerIsHeard(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var receiver = makeReceiver()
        var heardFrom: Int?
        for number in 0..<50 where heardFrom == nil {
            // 5000 packets a second, each from another source.
            for _ in 0..<100 {
                let ssrc = UInt32(truncatingIfNeeded: random.next()) | 1
                _ = receiver.take(packet(UInt16(truncatingIfNeeded: random.next()), ssrc: ssrc))
            }
            if case .media = receiver.take(packet(UInt16(1000 + number), ssrc: 8)) { heardFrom = number }
        }
        #expect(heardFrom != nil, "seed \(seed)")
        // Once heard, it stays.
        for number in 50..<100 {
            for _ in 0..<100 { _ = receiver.take(packet(7, ssrc: UInt32(truncatingIfNeeded: random.next()) | 1)) }
            guard case .media = receiver.take(packet(UInt16(1000 + number), ssrc: 8)) else {
                Issue.record("packet \(number), seed \(seed)")
                return
            }
        }
    }
}
