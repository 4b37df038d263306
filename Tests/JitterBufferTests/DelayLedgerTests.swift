import Codecs
import Glibc
import JitterBuffer
import Testing

@Suite struct DelayLedgerTests {
    /// Noise that never repeats: its place in the output tells when it was said. Smooth enough for G.711.
    private static func noise(_ time: Double) -> Float {
        let position = time * 1000
        let index = Int(position.rounded(.down))
        func value(_ index: Int) -> Float {
            var z = UInt64(bitPattern: Int64(index)) &* 0x9E37_79B9_7F4A_7C15
            z = (z ^ (z >> 31)) &* 0xBF58_476D_1CE4_E5B9
            return Float(Int32(truncatingIfNeeded: z >> 32)) / 2_147_483_648 * 0.4
        }
        let part = Float(position - Double(index))
        return value(index) * (1 - part) + value(index + 1) * part
    }

    @Test(
        "The delay that is reported is the delay of the sound", arguments: [Codec.l16, .pcmu, .opus], [0.0, 30.0])
    func agrees(codec: Codec, jitter: Double) throws {
        var stream = StreamSimulation(codec: codec, seconds: 20, signal: Self.noise)
        stream.settings.bitrate = 64_000
        stream.pullJitter = 1
        stream.network = { _, random in [10 + jitter * random.unit()] }
        let result = try stream.run()
        for second in [8.0, 12, 16, 18] {
            let heard = try #require(Self.delay(of: result, at: second))
            // A packet is whole 20 ms after its first sample; the codec's look-ahead counts on its own.
            let told =
                result.delay(second, second + 0.2) + result.meanTransit + 20
                + Double(result.lookahead) * 1000 / Double(result.rate)
            #expect(abs(heard - told) < 4, "heard \(heard), told \(told) at \(second) s")
        }
    }

    /// Delay of the sound around `second` in milliseconds, by correlation with the signal.
    private static func delay(of result: StreamSimulation.Result, at second: Double) -> Double? {
        let rate = Double(result.rate)
        let start = Int(second * rate)
        var best = (delay: 0.0, score: -Float.infinity)
        // The simulated player's first pull is at 3.3 ms.
        for step in 0..<600 {
            let delay = Double(step) * 0.25
            var score: Float = 0
            for index in stride(from: 0, to: Int(0.2 * rate), by: max(1, result.rate / 8000)) {
                let time = Double(start + index) / rate + 0.0033 - delay / 1000
                score += result.output[start + index] * noise(time)
            }
            if score > best.score { best = (delay, score) }
        }
        return best.score > 0 ? best.delay : nil
    }
}
