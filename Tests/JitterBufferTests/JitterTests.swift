import Codecs
import JitterBuffer
import Testing

@Suite struct JitterTests {
    @Test(
        "Uniform jitter of 30 ms with reordering is ridden out without a gap once learnt",
        arguments: [Codec.l16, .opus], [5.0, 10.0])
    func uniform(codec: Codec, pull: Double) throws {
        var stream = StreamSimulation(codec: codec, seconds: 40, signal: Signal.tone(500))
        stream.pullMilliseconds = pull
        stream.pullJitter = 1
        stream.network = { _, random in [30 * random.unit()] }
        let result = try stream.run()
        #expect(result.statistics.reordered > 50)
        #expect(result.concealed(5) == 0)
        #expect(result.gapMilliseconds(5, 39) == 0)
        // From sending to pulling, the line's mean of 15 ms included.
        let added = result.delay(10, 40) + result.meanTransit
        print("jitter 0-30 ms: \(added) ms with \(codec), pulls of \(pull) ms")
        #expect(added <= 35 + pull)
    }

    @Test("When jitter begins in mid-call the delay grows, when it ends the delay returns")
    func comesAndGoes() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 150, signal: Signal.voice)
        stream.network = { packet, random in
            let isBusy = packet.sentAt > 20_000 && packet.sentAt < 50_000
            return [(isBusy ? 60 : 3) * random.unit()]
        }
        let result = try stream.run()
        let before = result.delay(15, 20)
        let busy = result.delay(40, 50)
        let after = result.delay(140, 150)
        #expect(busy > before + 15)
        #expect(result.concealed(30, 50) <= 3)
        #expect(abs(after - before) <= 10)
    }
}
