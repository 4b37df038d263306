import Codecs
import JitterBuffer
import Testing

@Suite struct LossTests {
    /// Gilbert loss of 5 % in bursts of two.
    static func bursts() -> (SimulatedPacket, inout TestRandom) -> [Double] {
        var isBad = false
        return { _, random in
            isBad = isBad ? random.unit() >= 0.5 : random.unit() < 0.5 * 0.05 / 0.95
            return isBad ? [] : [3 * random.unit()]
        }
    }

    @Test(
        "With 5 % loss in bursts a tone keeps its level: under 300 ms of gaps a minute",
        arguments: [Codec.l16, .pcmu, .g722, .opus], [5.0, 10.0])
    func tone(codec: Codec, pull: Double) throws {
        var stream = StreamSimulation(codec: codec, seconds: 60, signal: Signal.tone(500))
        stream.pullMilliseconds = pull
        stream.settings.expectedLossPercent = 3
        stream.network = Self.bursts()
        let result = try stream.run()
        let gaps = result.gapMilliseconds(1, 59) * 60 / 58
        print("loss 5 %, \(codec), pulls of \(pull) ms: \(gaps) ms of gaps a minute, delay \(result.delay(10, 60))")
        #expect(gaps < 300)
        #expect(result.delay(10, 60) < 45)
        #expect(result.statistics.concealments > 20)
    }

    @Test("The copy in the next packet replaces the last lost packet of each gap")
    func copies() throws {
        var stream = StreamSimulation(codec: .opus, seconds: 60, signal: Signal.voice)
        stream.settings.expectedLossPercent = 3
        stream.settings.bitrate = 36_000
        stream.network = Self.bursts()
        let with = try stream.run()
        stream.settings.inbandFEC = false
        let without = try stream.run()
        #expect(with.statistics.fecUsed > 30)
        #expect(without.statistics.fecUsed == 0)
        let saved =
            without.statistics.concealShortMs + without.statistics.concealLongMs - with.statistics.concealShortMs
            - with.statistics.concealLongMs
        #expect(saved > 500)
        // A copy comes a packet later: the target waits for it.
        #expect(try #require(with.pulls.last).outcome.targetMs > 20)
        #expect(with.delay(20, 60) < 40)
    }

    @Test(
        "Where packets are lost the place below the target is taken if it costs little, elsewhere the safer one",
        arguments: [true, false])
    func place(hasLoss: Bool) throws {
        var stream = StreamSimulation(codec: .opus, seconds: 60, signal: Signal.voice)
        stream.settings.inbandFEC = false
        // Pulls of a packet each: a packet waits for 5.5 or for 25.5 ms, and one in 500 needs 7.
        stream.pullMilliseconds = 20
        stream.pullJitter = 0
        stream.network = { packet, _ in
            hasLoss && packet.index % 20 == 10 ? [] : packet.index % 500 == 499 ? [21.8] : [17.8]
        }
        let result = try stream.run()
        print("target \(result.pulls.last?.outcome.targetMs ?? .nan), delay \(result.delay(30, 60))")
        #expect(hasLoss ? result.delay(30, 60) < 8 : result.delay(30, 60) > 20)
    }

    @Test("Time lost to missing packets does not become delay")
    func noCreep() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 60, signal: Signal.tone(300))
        stream.network = { _, random in random.unit() < 0.2 ? [] : [2 * random.unit()] }
        let result = try stream.run()
        // A packet more than without loss: what follows a gap helps to fill it.
        #expect(result.delay(50, 60) < 40)
    }

    @Test("A long gap fades to silence and ends without a burst of concealment")
    func longGap() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 10, signal: Signal.tone(500))
        stream.network = { packet, random in (4000..<6000).contains(packet.sentAt) ? [] : [random.unit()] }
        let result = try stream.run()
        let quiet = result.output[(8 * 4500)..<(8 * 5900)]
        #expect(try #require(quiet.map(abs).max()) < 0.01)
        #expect(result.gapMilliseconds(6.2, 9.9) == 0)
        #expect(result.concealed(6.2) == 0)
        #expect(result.statistics.concealLongMs > 1500)
        #expect(result.statistics.concealments == 1 && result.statistics.longConcealments == 1)
    }

    @Test("Single lost packets are gaps, but none of them a long one")
    func shortGaps() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 10, signal: Signal.tone(500))
        stream.network = { packet, random in Int(packet.sentAt) % 500 < 20 ? [] : [random.unit()] }
        let result = try stream.run()
        #expect(result.statistics.concealments > 10)
        #expect(result.statistics.longConcealments == 0)
    }
}
