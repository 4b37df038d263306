import Codecs
import Glibc
import JitterBuffer
import Testing

@Suite struct InterpolationTests {
    /// Mean square of the difference between what was heard and what was said, while packets are lost one by one.
    private func error(_ codec: Codec, rate: Int? = nil, signal: @escaping (Double) -> Float) throws -> Double {
        var stream = StreamSimulation(codec: codec, seconds: 12, signal: signal)
        stream.pullJitter = 0.5
        stream.network = { packet, _ in packet.index % 11 == 5 ? [] : [1] }
        stream.configuration = JitterBufferConfiguration(latency: .robust, minimumDelayMs: 40)
        let result = try stream.run()
        var clean = stream
        clean.network = { _, _ in [1] }
        let whole = try clean.run()
        #expect(result.statistics.concealments > 40)
        let from = 4 * result.rate
        var sum = 0.0
        var power = 0.0
        for index in from..<(11 * result.rate) {
            let difference = Double(result.output[index] - whole.output[index])
            sum += difference * difference
            power += Double(whole.output[index] * whole.output[index])
        }
        return sum / power
    }

    @Test(
        "A voice whose pitch glides is bridged close to what was said, where its next packet is in hand",
        arguments: [
            (Codec.pcmu, -14.0), (.l16, -14),
            // Its decoder knows nothing of what it missed: for some 10 ms after a gap it plays on with stale steps.
            (.g722, -12),
        ])
    func voice(codec: Codec, most: Double) throws {
        let share = try error(codec, signal: Signal.voice)
        print("\(codec): the error of 9 % lost packets is \(10 * log10(share)) dB under the voice")
        // Silence in place of the lost packets would be an error of -10.4 dB.
        #expect(10 * log10(share) < most)
    }

    @Test("A gap of a steady tone is not heard")
    func tone() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 12, signal: Signal.tone(500))
        stream.network = { packet, _ in packet.index % 11 == 5 ? [] : [1] }
        #expect(try stream.run().gapMilliseconds(1, 11) == 0)
    }
}
