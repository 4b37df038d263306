import Codecs
import JitterBuffer
import Testing

@Suite struct CleanNetworkTests {
    @Test(
        "A calm line is played without a gap and hardly delayed, although pulls jitter by 5 ms",
        arguments: [Codec.l16, .pcmu, .pcma, .opus], [5.0, 10.0])
    func calm(codec: Codec, pull: Double) throws {
        var stream = StreamSimulation(codec: codec, seconds: 20, signal: Signal.voice)
        stream.pullMilliseconds = pull
        let result = try stream.run()
        #expect(result.concealed(0) == 0)
        #expect(result.statistics.late == 0)
        // 5 ms of it are the pulls' own jitter.
        #expect(result.delay(10, 20) <= 16)
        stream.pullJitter = 0.5
        let calm = try stream.run()
        #expect(calm.concealed(0) == 0)
        #expect(calm.delay(10, 20) <= 15)
    }

    @Test("The sound comes through: every block after the start has the tone's level")
    func level() throws {
        let result = try StreamSimulation(codec: .opus, seconds: 10, signal: Signal.tone(500)).run()
        #expect(result.gapMilliseconds(1, 10) == 0)
        let power = result.output[48_000..<480_000].reduce(0) { $0 + $1 * $1 } / 432_000
        #expect(abs(power.squareRoot() - 0.2121) < 0.02)
    }

    @Test("Odd pull lengths from 1 to 60 ms keep the stream whole", arguments: [1.0, 7, 21.4, 60])
    func oddPulls(pull: Double) throws {
        var stream = StreamSimulation(codec: .l16, seconds: 20, signal: Signal.tone(500))
        stream.pullMilliseconds = pull
        stream.pullJitter = min(5, pull / 2)
        let result = try stream.run()
        #expect(result.concealed(3) == 0)
        #expect(result.gapMilliseconds(3, 19) == 0)
    }

    @Test("Packets of 10, 20, 40 and 60 ms are played alike", arguments: [Codec.opus, .pcmu], [10, 20, 40, 60])
    func packetLengths(codec: Codec, length: Int) throws {
        let stream = StreamSimulation(
            codec: codec, frameMilliseconds: length, seconds: 15, signal: Signal.tone(500))
        let result = try stream.run()
        #expect(result.concealed(0) == 0)
        #expect(result.gapMilliseconds(1, 14) == 0)
        // Long packets come seldom: learning takes longer.
        #expect(result.delay(8, 15) <= (length > 20 ? 35 : 18))
    }

    @Test(
        "What came before the loudspeaker began is heard whole, and the delay of that is given back",
        arguments: [Codec.l16, .pcmu, .opus], [60.0, 150, 300])
    func lateLoudspeaker(codec: Codec, begins: Double) throws {
        var stream = StreamSimulation(codec: codec, seconds: 20, signal: Signal.voice)
        stream.firstPull = begins
        stream.pullJitter = 0.5
        let result = try stream.run()
        #expect(result.statistics.overflow == 0 && result.statistics.late == 0 && result.concealed(0) == 0)
        let first = try #require(result.pulls.lazy.compactMap(\.outcome.mediaMilliseconds).first)
        let before = try StreamSimulation(codec: codec, seconds: 1, signal: Signal.voice).run()
        let start = try #require(before.pulls.lazy.compactMap(\.outcome.mediaMilliseconds).first)
        // Pulls of both fall anywhere within a packet, and an encoder's lookahead comes on top.
        #expect(abs(first - start) < 25, "it begins with the first packet")
        #expect(result.delay(10, 20) <= 15)
    }

    @Test("Media time counts from the first packet, however long the player asked before it came", arguments: [0.0, 300, 3000])
    func mediaTime(travel: Double) throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 5, signal: Signal.voice)
        stream.network = { _, _ in [travel] }
        let first = try #require(try stream.run().pulls.lazy.compactMap(\.outcome.mediaMilliseconds).first)
        #expect(first > 0 && first <= 20, "the first block ends at \(first) ms")
    }

    @Test("The low profile starts with less delay than the robust one")
    func profiles() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 2, signal: Signal.tone(500))
        stream.configuration = JitterBufferConfiguration(latency: .low)
        let low = try stream.run().delay(0.2, 1)
        stream.configuration = JitterBufferConfiguration(latency: .robust)
        let robust = try stream.run().delay(0.2, 1)
        #expect(low + 15 < robust)
    }
}
