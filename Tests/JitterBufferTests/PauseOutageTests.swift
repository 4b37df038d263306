import Codecs
import JitterBuffer
import Realtime
import Testing

/// Nothing comes after a pause has begun: the sender pauses, or the network is away. The next packet's number tells.
@Suite struct PauseOutageTests {
    /// Silence, of which a packet is sent each 20 ms.
    private func silence(_ codec: Codec) -> StreamSimulation {
        var stream = StreamSimulation(codec: codec, seconds: 12)
        stream.pullJitter = 1
        return stream
    }

    /// The same with a pause of five seconds in which nothing is sent.
    private func pausing(_ codec: Codec) -> StreamSimulation {
        var stream = silence(codec)
        var sent: Int64 = 0
        stream.rewrite = { packet in
            guard !(3000..<8000).contains(packet.sentAt) else { return nil }
            var packet = packet
            sent += 1
            packet.sequence = sent
            return packet
        }
        return stream
    }

    private func concealed(_ statistics: JitterBufferStatistics) -> Double {
        statistics.concealShortMs + statistics.concealLongMs
    }

    @Test(
        "An outage that begins in a pause counts as concealed once packets turn out to be lost", arguments: [Codec.pcmu, .opus])
    func outage(codec: Codec) throws {
        var stream = silence(codec)
        stream.network = { packet, random in (3000..<8000).contains(packet.sentAt) ? [] : [random.unit()] }
        let result = try stream.run()
        let statistics = result.statistics
        #expect(abs(concealed(statistics) - 5000) < 100, "\(statistics)")
        #expect(statistics.concealments == 1 && statistics.longConcealments == 1 && statistics.underruns == 1)
        #expect(abs(statistics.concealShortMs - 60) < 21 && statistics.comfortNoiseMs < 100)
        #expect(abs((statistics.concealedRatio ?? 0) - 5000 / statistics.playedMs) < 0.01)
        #expect(statistics.concealedPauseMs > 4900 && statistics.concealedPauseMs <= concealed(statistics) + 1e-6)
        #expect(result.isBalanced)
    }

    @Test("A pause in which nothing is sent, and nothing lost, is no concealment", arguments: [Codec.pcmu, .opus])
    func pause(codec: Codec) throws {
        let stream = pausing(codec)
        let result = try stream.run()
        #expect(concealed(result.statistics) == 0 && result.statistics.concealments == 0, "\(result.statistics)")
        #expect(result.statistics.comfortNoiseMs > 4000 && result.statistics.concealedPauseMs == 0)
    }

    @Test("Of a pause after which a packet is lost that packet alone is missing")
    func lossAfterPause() throws {
        var stream = pausing(.pcmu)
        stream.network = { packet, random in (8000..<8020).contains(packet.sentAt) ? [] : [random.unit()] }
        let statistics = try stream.run().statistics
        #expect(statistics.concealedPauseMs > 0 && statistics.concealedPauseMs <= 20, "\(statistics)")
        #expect(concealed(statistics) < 100 && statistics.comfortNoiseMs > 4000)
    }

    @Test("Where nothing comes any more the pause was none, unless the sender need not send", arguments: [false, true])
    func brokenOff(isHeld: Bool) throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        let payload = [UInt8](repeating: 0xff, count: 160)
        var block = [Float](repeating: 0, count: 160)
        for index in 0..<250 {
            let now = HostTime(milliseconds: Double(20 * index))
            if index < 100 {
                payload.withUnsafeBytes {
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: Int64(index), extendedTimestamp: Int64(160 * index), arrival: now, payload: $0))
                }
            }
            if isHeld, index >= 100 { buffer.noteSilence() }
            block.withUnsafeMutableBufferPointer { _ = buffer.pull(into: $0, now: now.advanced(byMilliseconds: 1)) }
        }
        #expect(concealed(buffer.statistics) == 0)
        buffer.noteBrokenOff()
        #expect(isHeld ? concealed(buffer.statistics) == 0 : abs(concealed(buffer.statistics) - 3000) < 100)
        #expect(buffer.statistics.concealments == (isHeld ? 0 : 1) && buffer.isBalanced)
        buffer.noteBrokenOff()
        #expect(buffer.statistics.concealments == (isHeld ? 0 : 1))
    }
}
