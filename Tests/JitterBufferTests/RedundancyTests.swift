import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite struct RedundancyTests {
    /// A second of packets in which some are lost, each carrying a copy of the content two packets back.
    private func play(
        _ codec: Codec, seconds: Int = 20, isLost: (Int) -> Bool, copies: Bool
    ) throws -> (statistics: JitterBufferStatistics, incidents: [Incident], isBalanced: Bool) {
        let encoder = try makeEncoder(codec)
        let buffer = JitterBuffer(decoder: try makeDecoder(codec), clockRate: codec.rtpClockRate())
        let length = encoder.frameLength
        var frame = [Float](repeating: 0, count: length)
        var payloads: [[UInt8]] = []
        var block = [Float](repeating: 0, count: length / 2)
        for index in 0..<(50 * seconds) {
            for sample in 0..<length {
                frame[sample] = Signal.voice(Double(index * length + sample) / Double(encoder.sampleRate))
            }
            var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
            let bytes = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            payloads.append(Array(payload[0..<bytes]))
            func insert(_ content: Int, isCopy: Bool) {
                payloads[content].withUnsafeBytes {
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: Int64(index), extendedTimestamp: Int64(content * length), isCopy: isCopy,
                            arrival: HostTime(milliseconds: Double(index * 20)), payload: $0))
                }
            }
            if !isLost(index) {
                insert(index, isCopy: false)
                if copies, index >= 2 { insert(index - 2, isCopy: true) }
            }
            for half in 0..<2 {
                block.withUnsafeMutableBufferPointer {
                    _ = buffer.pull(into: $0, now: HostTime(milliseconds: Double(index * 20 + half * 10) + 1))
                }
            }
        }
        return (buffer.statistics, buffer.incidents, buffer.isBalanced)
    }

    @Test(
        "Copies two packets later replace what was lost, once the target has learnt of them",
        arguments: [
            Codec.opus, .pcmu,
        ])
    func replaces(codec: Codec) throws {
        let isLost = { (index: Int) in index % 7 == 3 || index % 29 == 12 }
        let with = try play(codec, isLost: isLost, copies: true)
        let without = try play(codec, isLost: isLost, copies: false)
        #expect(with.isBalanced && without.isBalanced)
        #expect(without.statistics.redundancyUsed == 0)
        #expect(with.statistics.redundancyUsed > 120)
        let invented = with.statistics.concealShortMs + with.statistics.concealLongMs
        #expect(invented < 0.3 * (without.statistics.concealShortMs + without.statistics.concealLongMs))
        #expect(with.incidents.contains { $0.reason == .redundancy })
    }

    @Test("Copies that are not needed change nothing and are counted nowhere")
    func unneeded() throws {
        let with = try play(.pcmu, isLost: { _ in false }, copies: true)
        let without = try play(.pcmu, isLost: { _ in false }, copies: false)
        #expect(with.statistics == without.statistics)
    }

    @Test("A copy before any packet, of another stream or from far away is dropped in silence")
    func foreign() throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        func insert(_ sequence: Int64, _ timestamp: Int64, isCopy: Bool) -> InsertOutcome {
            [UInt8](repeating: 0x55, count: 160).withUnsafeBytes {
                buffer.insert(
                    BufferedPacket(
                        extendedSequence: sequence, extendedTimestamp: timestamp, isCopy: isCopy, arrival: .zero,
                        payload: $0))
            }
        }
        #expect(insert(10, 1600, isCopy: true) == .unneeded)
        #expect(insert(10, 1600, isCopy: false) == .accepted)
        #expect(insert(11, 1440, isCopy: true) == .unneeded)
        #expect(insert(10, 1600, isCopy: true) == .unneeded)
        #expect(insert(10, 1 << 50, isCopy: true) == .unneeded)
        #expect(buffer.statistics.inserted == 1 && buffer.statistics.duplicate == 0)
    }
}
