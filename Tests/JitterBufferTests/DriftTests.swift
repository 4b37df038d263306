import Codecs
import JitterBuffer
import Testing

@Suite struct DriftTests {
    @Test(
        "A sender's clock 300 ppm off is followed without gaps, and estimated", arguments: [-300.0, 300.0],
        [Codec.pcmu, .opus])
    func drift(ppm: Double, codec: Codec) throws {
        var stream = StreamSimulation(codec: codec, seconds: 150, signal: Signal.voice)
        stream.driftPPM = ppm
        let result = try stream.run()
        // A slow sender's buffer runs down: the odd pull may be caught before a pause allows to fill it up.
        #expect(result.concealed(10) <= 2)
        let estimate = try #require(result.driftPPM)
        #expect(abs(estimate - ppm) < 30)
        #expect(result.delay(130, 150) < 30)
        #expect(result.delay(130, 150) > 2)
        let moved = ppm > 0 ? result.statistics.acceleratedMs : result.statistics.deceleratedMs
        #expect(moved > 20)
    }

    @Test(
        "A player's clock 500 ppm fast, as a sound server's without a card, finds sound in every pull",
        arguments: [Codec.pcmu, .opus])
    func fastPlayer(codec: Codec) throws {
        var stream = StreamSimulation(codec: codec, seconds: 100, signal: Signal.voice)
        stream.network = { _, random in [0.1 * random.unit()] }
        stream.pullMilliseconds = 5
        stream.pullJitter = 0.5
        stream.playerDriftPPM = 500
        stream.keepsOutput = false
        let result = try stream.run()
        #expect(result.concealed(25) == 0)
        #expect(result.statistics.deceleratedMs > 30)
        #expect(result.delay(80, 100) < 16)
    }

    @Test func clocksThatAreFastByTheSameAskForNoStretching() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 60, signal: Signal.voice)
        stream.network = { _, random in [0.1 * random.unit()] }
        stream.pullMilliseconds = 5
        stream.pullJitter = 0.5
        (stream.driftPPM, stream.playerDriftPPM) = (500, 500)
        let result = try stream.run()
        #expect(result.concealed(25) == 0)
        #expect(result.statistics.deceleratedMs == 0)
    }

    @Test("The same in a tone without pauses", arguments: [-300.0, 300.0])
    func tone(ppm: Double) throws {
        var stream = StreamSimulation(codec: .l16, seconds: 100, signal: Signal.tone(500))
        stream.driftPPM = ppm
        let result = try stream.run()
        #expect(result.concealed(10) <= 2)
        #expect(result.gapMilliseconds(1, 99) == 0)
        #expect(result.delay(80, 100) < 30)
    }

    @Test("A route change of 100 ms, either way, is followed", arguments: [0.0, 100.0])
    func route(first: Double) throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 90, signal: Signal.voice)
        stream.network = { packet, random in
            [(packet.sentAt < 30_000 ? first : 100 - first) + 3 * random.unit()]
        }
        let result = try stream.run()
        #expect(abs(result.delay(80, 90) - result.delay(20, 30)) < 16)
        #expect(result.concealed(45) == 0)
    }
}
