import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite("A buffer that goes on from another, in another codec") struct ContinuationTests {
    /// Sends `count` packets of 20 ms from `first` on, each as late as `delay` says, and pulls 10 ms at a time.
    private func run(
        _ buffer: JitterBuffer, _ codec: Codec, first: Int, count: Int, delay: (Int) -> Double
    ) throws {
        let encoder = try makeEncoder(codec)
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        let frame = (0..<encoder.frameLength).map { Signal.tone(500)(Double($0) / Double(encoder.sampleRate)) }
        var block = [Float](repeating: 0, count: encoder.frameLength / 2)
        let units = codec.rtpClockRate() / 50
        var waiting: [(time: Double, index: Int, bytes: [UInt8])] = []
        for index in first..<(first + count) {
            let length = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            waiting.append((Double(index) * 20 + delay(index), index, Array(payload[..<length])))
            for half in 0..<2 {
                let now = Double(index) * 20 + Double(half) * 10
                for packet in waiting where packet.time <= now {
                    packet.bytes.withUnsafeBytes {
                        _ = buffer.insert(
                            BufferedPacket(
                                extendedSequence: Int64(packet.index), extendedTimestamp: Int64(packet.index * units),
                                arrival: HostTime(milliseconds: packet.time), payload: $0))
                    }
                }
                waiting.removeAll { $0.time <= now }
                _ = block.withUnsafeMutableBufferPointer { buffer.pull(into: $0, now: HostTime(milliseconds: now)) }
            }
        }
    }

    @Test("begins with the delay that the network was found to need, not with that of an unknown one")
    func delay() throws {
        var random = TestRandom(seed: 3)
        let jitter = (0..<2000).map { _ in random.unit() * 60 }
        let first = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        try run(first, .pcmu, first: 0, count: 1000) { jitter[$0] }
        let next = JitterBuffer(continuing: first, decoder: try makeDecoder(.opus), clockRate: 48_000)
        let fresh = JitterBuffer(decoder: try makeDecoder(.opus), clockRate: 48_000)
        #expect(next.sampleRate == 48_000 && !next.isPlaying && next.samplesLeft == 0)
        for buffer in [next, fresh] { try run(buffer, .opus, first: 1000, count: 100) { jitter[$0] } }
        #expect(next.isPlaying)
        #expect(next.statistics.concealShortMs + next.statistics.concealLongMs <= 40)
        #expect(next.statistics.concealments < fresh.statistics.concealments)
    }

    @Test("counts for itself; the sum is of both, and of each reason")
    func sum() throws {
        let first = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        try run(first, .pcmu, first: 0, count: 100) { _ in 5 }
        let next = JitterBuffer(continuing: first, decoder: try makeDecoder(.g722), clockRate: 8000)
        #expect(next.statistics.inserted == 0)
        try run(next, .g722, first: 100, count: 50) { _ in 5 }
        var sum = first.statistics
        sum.add(next.statistics)
        #expect(sum.inserted == first.statistics.inserted + next.statistics.inserted)
        #expect(sum.decoded > 140)
        #expect(sum.byReason[.normal] == first.statistics.byReason[.normal] + next.statistics.byReason[.normal])
        #expect(sum.playedMs == first.statistics.playedMs + next.statistics.playedMs)
    }
}
