import Codecs
import JitterBuffer
import Realtime
import Testing

@Suite struct BadInputTests {
    private func insert(
        _ buffer: JitterBuffer, _ sequence: Int64, _ timestamp: Int64, _ bytes: [UInt8], at time: Double = 0
    ) -> InsertOutcome {
        bytes.withUnsafeBytes {
            buffer.insert(
                BufferedPacket(
                    extendedSequence: sequence, extendedTimestamp: timestamp, arrival: HostTime(milliseconds: time),
                    payload: $0))
        }
    }

    @Test("Empty, huge and undecodable payloads and impossible numbers are refused and counted")
    func refused() throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.opus), clockRate: 48_000)
        #expect(insert(buffer, 1, 1, []) == .malformed)
        #expect(insert(buffer, 1, 1, [UInt8](repeating: 0, count: 70_000)) == .malformed)
        #expect(insert(buffer, 1, 1, [0xFF, 0xFF, 0xFF]) == .malformed)
        #expect(insert(buffer, .max, 1, [0xF8, 0, 0]) == .malformed)
        #expect(insert(buffer, 1, .min, [0xF8, 0, 0]) == .malformed)
        #expect(buffer.statistics.malformed == 5)
        var samples = [Float](repeating: 1, count: 480)
        let outcome = samples.withUnsafeMutableBufferPointer { buffer.pull(into: $0, now: .zero) }
        #expect(outcome.reason == .waiting)
        #expect(samples.allSatisfy { $0 == 0 })
    }

    @Test("Pulls of no samples, at times that stand still, run back or leap do no harm")
    func oddTimes() throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        var samples = [Float](repeating: 0, count: 20_000)
        for (index, time) in [0, 0, -1e9, 1e9, 5, 1e12, 0].enumerated() {
            _ = insert(buffer, Int64(index), Int64(index * 160), [UInt8](repeating: 0x55, count: 160), at: time)
            for length in [0, 1, 80, 20_000] {
                let outcome = samples.withUnsafeMutableBufferPointer {
                    buffer.pull(
                        into: UnsafeMutableBufferPointer(rebasing: $0[0..<length]),
                        now: HostTime(milliseconds: time))
                }
                #expect(outcome.samples == length)
            }
        }
    }

    @Test("A clock rate of nonsense is clamped", arguments: [0, -5, Int.max])
    func clockRate(rate: Int) throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: rate)
        #expect(insert(buffer, 1, 1 << 50, [UInt8](repeating: 0x55, count: 160)) == .accepted)
    }

    @Test("200,000 packets of random bytes, order and times leave it alive and finite", arguments: Codec.allCases)
    func chaos(codec: Codec) throws {
        var random = TestRandom(seed: 20_260)
        let decoder = try makeDecoder(codec)
        let buffer = JitterBuffer(decoder: decoder, clockRate: codec.rtpClockRate())
        var samples = [Float](repeating: 0, count: 480)
        var bytes = [UInt8](repeating: 0, count: 400)
        var sequence: Int64 = 0
        var timestamp: Int64 = 0
        var time = 0.0
        var isFinite = true
        for index in 0..<50_000 {
            let step = Double.random(in: 0...1, using: &random)
            sequence &+= step < 0.9 ? 1 : Int64.random(in: -5000...5000, using: &random)
            timestamp &+= step < 0.8 ? 960 : Int64.random(in: -200_000...200_000, using: &random)
            if step > 0.9999 { timestamp = Int64.random(in: .min ... .max, using: &random) }
            if step > 0.9998 { sequence = Int64.random(in: .min ... .max, using: &random) }
            time += Double.random(in: -5...35, using: &random)
            let count = Int.random(in: 0...(step < 0.7 ? 160 : 400), using: &random)
            for position in 0..<min(count, 12) { bytes[position] = UInt8.random(in: 0...255, using: &random) }
            bytes.withUnsafeBytes {
                _ = buffer.insert(
                    BufferedPacket(
                        extendedSequence: sequence, extendedTimestamp: timestamp, marker: step < 0.1,
                        arrival: HostTime(milliseconds: time),
                        payload: UnsafeRawBufferPointer(rebasing: $0[0..<count])))
            }
            if index % 3 == 0 {
                let outcome = samples.withUnsafeMutableBufferPointer {
                    buffer.pull(into: $0, now: HostTime(milliseconds: time))
                }
                isFinite =
                    isFinite && outcome.levelMs.isFinite && outcome.levelMs >= 0
                    && samples.allSatisfy { $0.isFinite && abs($0) <= 2 }
            }
            if index % 10_000 == 0 { buffer.reset(.newSource) }
        }
        #expect(isFinite)
        let statistics = buffer.statistics
        #expect(statistics.inserted == 50_000)
        #expect(statistics.malformed > 0 || codec != .opus)
    }

    @Test("Packets of 200 ms are played whole")
    func longPackets() throws {
        let buffer = JitterBuffer(decoder: try makeDecoder(.pcmu), clockRate: 8000)
        let encoder = try makeEncoder(.pcmu, settings: EncoderSettings(frameMilliseconds: 20))
        var bytes: [UInt8] = []
        var payload = [UInt8](repeating: 0, count: 400)
        for part in 0..<10 {
            let frame = (0..<160).map { Signal.tone(500)(Double(part * 160 + $0) / 8000) }
            let count = try frame.withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            bytes += payload[0..<count]
        }
        var samples = [Float](repeating: 0, count: 80)
        var quiet = 0
        for tick in 0..<500 {
            if tick % 20 == 0 {
                let index = Int64(tick / 20)
                #expect(insert(buffer, index, index * 1600, bytes, at: Double(tick * 10)) == .accepted)
            }
            _ = samples.withUnsafeMutableBufferPointer {
                buffer.pull(into: $0, now: HostTime(milliseconds: Double(tick * 10) + 3))
            }
            if tick > 40, samples.map(abs).max() ?? 0 < 0.2 { quiet += 1 }
        }
        #expect(quiet == 0)
        #expect(buffer.statistics.concealments == 0)
    }
}
