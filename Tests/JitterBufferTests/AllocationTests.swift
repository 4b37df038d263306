import CAudit
import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite(.enabled(if: audit_available(), "a sanitizer brings its own malloc"))
struct AllocationTests {
    @Test(
        "After warm-up neither inserting nor pulling allocates or locks, whatever the line does",
        arguments: [
            Codec.opus, .pcmu, .l16, .g722,
        ])
    func none(codec: Codec) throws {
        var settings = EncoderSettings(inbandFEC: true, expectedLossPercent: 5)
        settings.bitrate = 36_000
        let encoder = try makeEncoder(codec, settings: settings)
        let buffer = JitterBuffer(decoder: try makeDecoder(codec), clockRate: codec.rtpClockRate())
        var random = TestRandom(seed: 11)
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        var frame = [Float](repeating: 0, count: encoder.frameLength)
        var samples = [Float](repeating: 0, count: encoder.frameLength / 2)
        var worst = audit_counts()
        for index in 0..<1500 {
            for sample in 0..<frame.count {
                frame[sample] = Signal.voice(Double(index * frame.count + sample) / Double(encoder.sampleRate))
            }
            let bytes = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            let isLost = random.unit() < 0.1
            let late = index % 200 == 199 ? 90.0 : 25 * random.unit()
            payload.withUnsafeBytes { payload in
                let packet = BufferedPacket(
                    extendedSequence: Int64(index), extendedTimestamp: Int64(index * encoder.frameLength),
                    arrival: HostTime(milliseconds: Double(index * 20) + late),
                    payload: UnsafeRawBufferPointer(rebasing: payload[0..<bytes]))
                samples.withUnsafeMutableBufferPointer { samples in
                    audit_begin()
                    if !isLost { buffer.insert(packet) }
                    _ = buffer.pull(into: samples, now: HostTime(milliseconds: Double(index * 20) + 2))
                    _ = buffer.pull(into: samples, now: HostTime(milliseconds: Double(index * 20) + 12))
                    _ = buffer.currentDelayMilliseconds
                    let counts = audit_end()
                    guard index > 100 else { return }
                    worst.allocations += counts.allocations
                    worst.frees += counts.frees
                    worst.locks += counts.locks
                }
            }
        }
        #expect(worst.allocations == 0 && worst.frees == 0 && worst.locks == 0, "\(worst)")
        // The line was bad enough to reach every branch.
        #expect(buffer.statistics.concealments > 20)
        #expect(codec != .opus || buffer.statistics.fecUsed > 10)
    }
}
