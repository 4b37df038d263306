import Codecs
import Glibc
import JitterBuffer
import Realtime

/// What the jitter buffer does on a bad line, decoder left out: the median cost of a pull of 20 ms by what was done in it.
///
/// The decoder only copies. At 48 kHz it stands for Opus, which conceals for itself; at 8 kHz for G.711, where concealment
/// is the buffer's own.
enum BadLine {
    static func costs(minutes: Int) -> [StageCosts.Cost] {
        costs(rate: 48_000, concealsItself: true, minutes: minutes)
            + costs(rate: 8000, concealsItself: false, minutes: minutes)
    }

    private static func costs(rate: Int, concealsItself: Bool, minutes: Int) -> [StageCosts.Cost] {
        let decoder = CopyingDecoder(sampleRate: rate, concealsItself: concealsItself)
        let buffer = JitterBuffer(decoder: decoder, clockRate: rate)
        let frame = rate / 50
        let speech = speechLike(seconds: 9, rate: rate)
        var samples = [Float](repeating: 0, count: frame)
        var times: [String: [Double]] = [:]
        var total = 0.0
        var count = 0
        var generator = SystemRandomNumberGenerator()
        var wanted = 0.0
        for number in 0..<(minutes * 3000) {
            let sent = Double(number) * 20
            // Every 4 s the line becomes 60 ms longer or shorter; 5 % is lost.
            if number % 200 == 0 { wanted = wanted == 0 ? 60 : 0 }
            let packet = speech[(number * frame % speech.count)..<(number * frame % speech.count + frame)]
            let isLost = Double.random(in: 0..<1, using: &generator) < 0.05
            let arrival = HostTime(milliseconds: sent + wanted + Double.random(in: 0...8, using: &generator))
            let begun = processorTime()
            let elapsed = packet.withUnsafeBytes { payload in
                Measure.nanoseconds(1) {
                    if !isLost {
                        buffer.insert(
                            BufferedPacket(
                                extendedSequence: Int64(number), extendedTimestamp: Int64(number * frame),
                                arrival: arrival, payload: payload))
                    }
                }
            }
            var outcome: PullOutcome?
            let pulling = samples.withUnsafeMutableBufferPointer { block in
                Measure.nanoseconds(1) { outcome = buffer.pull(into: block, now: HostTime(milliseconds: sent + 9)) }
            }
            let spent = processorTime() - begun
            guard number > 250, let outcome else { continue }
            total += spent
            count += 1
            times[outcome.reason.name, default: []].append(elapsed + pulling)
        }
        // Rare things cost much (a search for a pitch, drift seen anew): the mean has them, and no other program's time.
        let mean = total / Double(max(count, 1))
        let name = "buffer_alone_\(rate / 1000)k"
        return [StageCosts.Cost(name: name, load: mean / 20e6)]
            + ["normal", "accelerate", "decelerate", "conceal_short", "conceal_long"].compactMap { reason in
                times[reason].map { StageCosts.Cost(name: "\(name)_\(reason)", load: Measure.median($0) / 20e6) }
            }
    }

    /// Nanoseconds that this thread has run.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Bursts of a gliding tone with harmonics, 500 ms of every 1500 quiet: something to stretch and to conceal.
    private static func speechLike(seconds: Int, rate: Int) -> [Float] {
        var phase: Float = 0
        return (0..<(seconds * rate)).map { index in
            let isQuiet = index % (rate * 3 / 2) > rate
            phase += (120 + 30 * Float(index % rate) / Float(rate)) / Float(rate)
            phase -= phase.rounded(.down)
            return isQuiet ? 1e-5 : 0.2 * (2 * phase - 1)
        }
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
