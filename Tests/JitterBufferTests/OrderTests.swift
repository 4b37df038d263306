import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite struct OrderTests {
    @Test("Pairs that swap are put in order")
    func swapped() throws {
        var stream = StreamSimulation(codec: .l16, seconds: 10, signal: Signal.tone(500))
        stream.network = { packet, _ in [packet.index % 2 == 0 ? 21 : 0] }
        let result = try stream.run()
        #expect(result.statistics.reordered > 200)
        #expect(result.concealed(3) == 0)
        #expect(result.gapMilliseconds(3, 9.9) == 0)
    }

    @Test("Late packets are counted, their sound stays concealed")
    func late() throws {
        var stream = StreamSimulation(codec: .l16, seconds: 20, signal: Signal.tone(500))
        stream.network = { packet, random in [packet.index % 100 == 99 ? 300 : random.unit()] }
        let result = try stream.run()
        #expect(result.statistics.late >= 8)
        #expect(result.delay(10, 20) < 30)
    }

    @Test("A buffer nobody pulls from keeps the newest packets in bounded memory, and plays them at once afterwards")
    func overflow() throws {
        let encoder = try makeEncoder(.pcmu)
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        let frame = [Float](repeating: 0.1, count: encoder.frameLength)
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        let bytes = try frame.withUnsafeBufferPointer { frame in
            try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
        }
        var samples = [Float](repeating: 0, count: 80)
        func step(_ index: Int, pulls: Bool) -> PullOutcome? {
            payload.withUnsafeBytes { payload in
                _ = buffer.insert(
                    BufferedPacket(
                        extendedSequence: Int64(index), extendedTimestamp: Int64(index * 160),
                        arrival: HostTime(milliseconds: Double(index * 20)),
                        payload: UnsafeRawBufferPointer(rebasing: payload[0..<bytes])))
            }
            guard pulls else { return nil }
            var last: PullOutcome?
            for half in 0..<2 {
                last = samples.withUnsafeMutableBufferPointer {
                    buffer.pull(into: $0, now: HostTime(milliseconds: Double(index * 20 + half * 10) + 1))
                }
            }
            return last
        }
        for index in 0..<100 { _ = step(index, pulls: true) }
        let before = try #require(buffer.currentDelayMilliseconds)
        for index in 100..<1100 { _ = step(index, pulls: false) }
        #expect(buffer.statistics.overflow > 800)
        var last: PullOutcome?
        for index in 1100..<1150 { last = step(index, pulls: true) }
        let after = try #require(buffer.currentDelayMilliseconds)
        #expect(abs(after - before) < 25)
        #expect(try #require(last).reason == .normal, "\(buffer.statistics)")
    }
}
