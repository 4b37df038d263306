import Codecs
import Glibc
import JitterBuffer
import Realtime
import Testing

@Suite struct ComfortNoiseTests {
    /// One second of a tone, one of comfort noise (a packet each 200 ms or one alone), one of the tone again.
    private func level(noiseLevel: UInt8, repeated: Bool) throws -> (noise: Double, statistics: JitterBufferStatistics) {
        let encoder = try makeEncoder(.pcmu)
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        var sequence: Int64 = 0
        var heard: [Float] = []
        var payload = [UInt8](repeating: 0, count: 160)
        var block = [Float](repeating: 0, count: 80)
        for index in 0..<200 {
            let frame = (0..<160).map { Signal.tone(440)(Double(index * 160 + $0) / 8000) }
            _ = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            func insert(_ payload: [UInt8], isNoise: Bool) {
                sequence += 1
                payload.withUnsafeBytes {
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: sequence, extendedTimestamp: Int64(index * 160),
                            arrival: HostTime(milliseconds: Double(index * 20)), payload: $0, isComfortNoise: isNoise))
                }
            }
            if index < 50 || index >= 150 {
                insert(payload, isNoise: false)
            } else if index == 50 || (repeated && index % 10 == 0) {
                insert([noiseLevel, 127 + 20, 127 - 10], isNoise: true)
            }
            for half in 0..<2 {
                block.withUnsafeMutableBufferPointer {
                    _ = buffer.pull(into: $0, now: HostTime(milliseconds: Double(index * 20 + half * 10) + 1))
                }
                heard += block
            }
        }
        #expect(buffer.isBalanced)
        // 1.3 s to 2.8 s lie in the pause.
        let pause = heard[10_400..<22_400]
        let power = pause.reduce(0) { $0 + Double($1 * $1) } / Double(pause.count)
        let end = heard[28_000..<31_500]
        #expect(end.reduce(0) { $0 + $1 * $1 } / Float(end.count) > 0.03, "the tone comes back")
        return (power, buffer.statistics)
    }

    @Test("Comfort noise has the level that the sender told (RFC 3389), until it speaks again", arguments: [true, false])
    func told(repeated: Bool) throws {
        for level: UInt8 in [45, 60] {
            let (power, statistics) = try self.level(noiseLevel: level, repeated: repeated)
            let wanted = Double(level)
            #expect(abs(10 * log10(power) + wanted) < 3, "\(10 * log10(power)) dB for \(wanted)")
            #expect(statistics.concealments == 0 && statistics.resets == 0)
            #expect(statistics.comfortNoiseMs > 1500)
        }
    }

    @Test("A level of full scale is not believed")
    func tooLoud() throws {
        #expect(try level(noiseLevel: 0, repeated: true).noise < 2e-3)
    }

    @Test("A long gap in a noisy room fades to that room's noise, not to silence")
    func matched() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 12)
        var random = TestRandom(seed: 5)
        // Low noise at -55 dB under a voice.
        var last: Float = 0
        stream.signal = { time in
            last = 0.7 * last + 0.3 * Float(random.unit() - 0.5)
            return Signal.voice(time) + 0.0075 * last
        }
        stream.network = { packet, random in (9000..<11_500).contains(packet.sentAt) ? [] : [random.unit()] }
        let result = try stream.run()
        func power(_ from: Double, _ to: Double) -> Double {
            let part = result.output[Int(from * 8000)..<Int(to * 8000)]
            return part.reduce(0) { $0 + Double($1 * $1) } / Double(part.count)
        }
        // The room alone in the voice's pause (from 5.6 to 6 s), and in the gap.
        let room = 10 * log10(power(5.75, 5.95))
        let gap = 10 * log10(power(9.6, 11.3))
        #expect(abs(room - gap) < 4, "room \(room) dB, gap \(gap) dB")
    }
}
