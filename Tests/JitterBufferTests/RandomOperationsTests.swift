import Codecs
import JitterBuffer
import Realtime
import Testing

/// Arrivals, pulls, resets and changes of format in any order: nothing traps, and every sample and every shift of the
/// delay is accounted for after each operation.
@Suite struct RandomOperationsTests {
    @Test(
        "Over a million random operations what was played, concealed and stretched adds up to the clock, to the sample",
        arguments: [(Codec.pcmu, 600_000, UInt64(101)), (.l16, 300_000, 202), (.opus, 150_000, 303), (.g722, 300_000, 404)])
    func balanced(codec: Codec, operations: Int, seed: UInt64) throws {
        var line = try RandomOperator(codec: codec, seed: seed)
        for index in 0..<operations {
            try line.step()
            guard line.buffer.isBalanced else {
                Issue.record("operation \(index) of seed \(seed): \(line.buffer.ledger)")
                return
            }
        }
        #expect(line.isFinite)
        let statistics = line.buffer.statistics
        // It was wild, and still there was a call.
        #expect(statistics.decoded > operations / 20, "\(statistics)")
        #expect(statistics.resets > 10 && statistics.concealments > 100 && statistics.acceleratedMs > 0, "\(statistics)")
    }
}

/// A line that mostly carries a call, and now and then does anything.
private struct RandomOperator {
    let buffer: JitterBuffer
    var isFinite = true
    private var codec: Codec
    private var random: TestRandom
    private var payloads: [[UInt8]] = []
    private var frame = 0
    private var sequence: Int64 = 70_000
    private var timestamp: Int64 = 1 << 33
    private var time = 0.0
    private var pullTime = 5.0
    private var delay = 0.0
    private var samples = [Float](repeating: 0, count: 20_000)

    init(codec: Codec, seed: UInt64) throws {
        self.codec = codec
        random = TestRandom(seed: seed)
        buffer = JitterBuffer(decoder: try makeDecoder(codec), clockRate: codec.rtpClockRate())
        try encode()
    }

    /// Two seconds of a voice, some of it silence.
    private mutating func encode() throws {
        let encoder = try makeEncoder(
            codec, settings: EncoderSettings(bitrate: 36_000, inbandFEC: true, expectedLossPercent: 10))
        frame = encoder.frameLength
        var samples = [Float](repeating: 0, count: frame)
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
        payloads = try (0..<150).map { index in
            for sample in 0..<frame {
                samples[sample] = Signal.voice(Double(index * frame + sample) / Double(encoder.sampleRate))
            }
            let bytes = try samples.withUnsafeBufferPointer { samples in
                try payload.withUnsafeMutableBytes { try encoder.encode(samples, into: $0) }
            }
            return Array(payload[0..<bytes])
        }
    }

    mutating func step() throws {
        if pullTime < time {
            pull()
        } else {
            try arrive()
        }
    }

    private mutating func pull() {
        let length = random.unit() < 0.01 ? Int.random(in: 0...2000, using: &random) : buffer.sampleRate / 100
        let jitter = 6 * random.unit() - 3
        samples.withUnsafeMutableBufferPointer { samples in
            let block = UnsafeMutableBufferPointer(rebasing: samples[0..<length])
            _ = buffer.pull(into: block, now: HostTime(milliseconds: pullTime + jitter))
            for sample in block where !sample.isFinite { isFinite = false }
        }
        pullTime += Double(length) * 1000 / Double(buffer.sampleRate)
        if random.unit() < 0.0005 { pullTime += 3000 * random.unit() }
    }

    private mutating func arrive() throws {
        time += 20
        sequence += 1
        timestamp += Int64(frame) * Int64(codec.rtpClockRate()) / Int64(buffer.sampleRate)
        let chance = random.unit()
        if chance < 0.0003 { buffer.reset(.requested) }
        if chance > 0.9997 { try changeCodec() }
        if (0.01..<0.0103).contains(chance) { timestamp += Int64.random(in: -1_000_000...1_000_000, using: &random) }
        if (0.02..<0.0203).contains(chance) { sequence += Int64.random(in: -20_000...20_000, using: &random) }
        if (0.03..<0.032).contains(chance) { timestamp += Int64(frame) * Int64.random(in: 1...200, using: &random) }
        if (0.04..<0.042).contains(chance) { delay = 400 * random.unit() }
        delay *= 0.98
        guard random.unit() > 0.08 else { return }
        let late = delay + 10 * random.unit()
        insert(random.unit() < 0.002 ? garbage() : payload(sequence), sequence, timestamp, late)
        if random.unit() < 0.3 {
            let back = Int64.random(in: 1...4, using: &random)
            insert(
                payload(sequence - back), sequence,
                timestamp - back * Int64(frame) * Int64(codec.rtpClockRate()) / Int64(buffer.sampleRate), late, isCopy: true)
        }
        if random.unit() < 0.01 { insert(payload(sequence), sequence, timestamp, late + 1) }
        if random.unit() < 0.005 { insert([60, 200, 100], sequence + 1, timestamp + Int64(frame), late, isNoise: true) }
    }

    private func payload(_ sequence: Int64) -> [UInt8] { payloads[Int(sequence.magnitude) % payloads.count] }

    private mutating func garbage() -> [UInt8] {
        (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func insert(
        _ payload: [UInt8], _ sequence: Int64, _ timestamp: Int64, _ late: Double, isCopy: Bool = false,
        isNoise: Bool = false
    ) {
        payload.withUnsafeBytes {
            _ = buffer.insert(
                BufferedPacket(
                    extendedSequence: sequence, extendedTimestamp: timestamp, isCopy: isCopy,
                    arrival: HostTime(milliseconds: time + late), payload: $0, isComfortNoise: isNoise))
        }
    }

    private mutating func changeCodec() throws {
        // The codec under test stays the most used one.
        let next: Codec = buffer.sampleRate == codec.sampleRate ? codec : .l16
        buffer.replaceDecoder(try makeDecoder(next), clockRate: next.rtpClockRate())
        codec = next
        try encode()
    }
}
