import Codecs
import Glibc
import JitterBuffer
import Realtime

/// What the jitter buffer does on a bad line, decoder left out, beside what decoding the same voice with Opus costs: the mean
/// of all pulls of 20 ms, and the median of those in which a thing was done.
///
/// The line loses 10 % in bursts, is 60 ms longer for 4 s of every 8, and holds packets up by 40 to 180 ms now and then. The
/// buffer's decoder only copies. At 48 kHz it stands for Opus, which conceals for itself; at 8 kHz for G.711, where
/// concealment is the buffer's own.
enum BadLine {
    static func costs(minutes: Int) throws -> [StageCosts.Cost] {
        try costs(rate: 48_000, concealsItself: true, minutes: minutes)
            + costs(rate: 8000, concealsItself: false, minutes: minutes)
    }

    private static func costs(rate: Int, concealsItself: Bool, minutes: Int) throws -> [StageCosts.Cost] {
        let decoder = CopyingDecoder(sampleRate: rate, concealsItself: concealsItself)
        let buffer = JitterBuffer(decoder: decoder, clockRate: rate)
        let frame = rate / 50
        let speech = Voice.samples(seconds: 40, rate: rate)
        let opus = try OpusVoice()
        var line = Line()
        var samples = [Float](repeating: 0, count: frame)
        var times: [String: [Double]] = [:]
        var total = 0.0
        var totalOfOpus = 0.0
        var count = 0
        for number in 0..<(minutes * 3000) {
            let now = Double(number) * 20 + 9
            let arrived = line.send(number, now: now)
            // In turn with the buffer, so that both have the same machine.
            let begunOpus = processorTime()
            opus.decodeNext()
            let begun = processorTime()
            let start = HostTime.monotonicNow()
            for packet in arrived {
                let place = packet.number * frame % speech.count
                speech[place..<place + frame].withUnsafeBytes { payload in
                    _ = buffer.insert(
                        BufferedPacket(
                            extendedSequence: Int64(packet.number), extendedTimestamp: Int64(packet.number * frame),
                            arrival: HostTime(milliseconds: packet.arrival), payload: payload))
                }
            }
            let outcome = samples.withUnsafeMutableBufferPointer {
                buffer.pull(into: $0, now: HostTime(milliseconds: now))
            }
            let elapsed = HostTime.monotonicNow().milliseconds(since: start) * 1e6
            let spent = processorTime() - begun
            guard number > 250 else { continue }
            total += spent
            totalOfOpus += begun - begunOpus
            count += 1
            times[outcome.reason.name, default: []].append(elapsed)
        }
        // Rare things cost much (a search for a pitch, drift seen anew): the mean has them, and no other program's time.
        let mean = total / Double(max(count, 1))
        let meanOfOpus = totalOfOpus / Double(max(count, 1))
        let name = "buffer_alone_\(rate / 1000)k"
        func cost(_ name: String, _ nanoseconds: Double) -> StageCosts.Cost {
            StageCosts.Cost(name: name, load: nanoseconds / 20e6, ratioToOpusDecode: nanoseconds / meanOfOpus)
        }
        return [cost("decode_opus_voice_beside_\(rate / 1000)k", meanOfOpus), cost(name, mean)]
            + ["normal", "accelerate", "decelerate", "conceal_short", "conceal_long"].compactMap { reason in
                times[reason].map { cost("\(name)_\(reason)", Measure.median($0)) }
            }
    }

    /// Nanoseconds that this thread has run.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// When packets arrive over the bad line.
private struct Line {
    struct Packet {
        let number: Int
        let arrival: Double
    }

    private var chance = Chance(seed: 11)
    private var underWay: [Packet] = []
    private var isLosing = false
    /// Milliseconds by which the line is longer, for a while and until a queue has drained.
    private var detour = 0.0
    private var spike = 0.0

    /// Sends one packet of 20 ms, and gives those that have arrived by `now`.
    mutating func send(_ number: Int, now: Double) -> [Packet] {
        // Bursts of 2.5 packets on average, every tenth packet in all.
        isLosing = Double.random(in: 0..<1, using: &chance) < (isLosing ? 0.6 : 0.045)
        if number % 200 == 0 { detour = detour == 0 ? 60 : 0 }
        let isSpike = Double.random(in: 0..<1, using: &chance) < 0.005
        spike = isSpike ? Double.random(in: 40..<180, using: &chance) : max(0, spike - 20)
        if !isLosing {
            let arrival = Double(number) * 20 + detour + spike + Double.random(in: 0..<8, using: &chance)
            underWay.append(Packet(number: number, arrival: arrival))
        }
        let arrived = underWay.filter { $0.arrival <= now }
        underWay.removeAll { $0.arrival <= now }
        return arrived
    }
}

/// 40 s of the voice at the program's bit rate, over and over.
private final class OpusVoice {
    private let decoder: any AudioDecoder
    private let samples: UnsafeMutableBufferPointer<Float>
    private var payloads: [[UInt8]] = []
    private var index = 0

    init() throws {
        decoder = try makeDecoder(.opus)
        samples = .allocate(capacity: decoder.maximumFrames)
        let encoder = try makeEncoder(.opus)
        let length = encoder.frameLength
        let speech = Voice.samples(seconds: 40, rate: encoder.sampleRate)
        for start in stride(from: 0, to: speech.count - length + 1, by: length) {
            var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadBytes)
            let bytes = try speech[start..<start + length].withUnsafeBufferPointer { frame in
                try payload.withUnsafeMutableBytes { try encoder.encode(frame, into: $0) }
            }
            payloads.append(Array(payload[..<bytes]))
        }
    }

    deinit { samples.deallocate() }

    func decodeNext() {
        _ = payloads[index].withUnsafeBytes { try? decoder.decode($0, into: samples) }
        index = (index + 1) % payloads.count
    }
}

/// Native samples as payload.
private final class CopyingDecoder: AudioDecoder {
    let sampleRate: Int
    var maximumFrames: Int { sampleRate / 8 }

    let concealsItself: Bool

    init(sampleRate: Int, concealsItself: Bool) {
        self.sampleRate = sampleRate
        self.concealsItself = concealsItself
    }

    func duration(of payload: UnsafeRawBufferPointer) -> Int? { payload.isEmpty ? nil : payload.count / 4 }

    func decode(
        _ payload: UnsafeRawBufferPointer, into samples: UnsafeMutableBufferPointer<Float>
    ) throws(CodecError) -> Int {
        guard payload.count / 4 <= samples.count else { throw .outputTooSmall(needed: payload.count / 4) }
        UnsafeMutableRawBufferPointer(samples).copyMemory(from: payload)
        return payload.count / 4
    }

    func conceal(frames: Int, into samples: UnsafeMutableBufferPointer<Float>) -> Bool {
        guard concealsItself, frames <= samples.count else { return false }
        for index in 0..<frames { samples[index] = 0 }
        return true
    }
}
