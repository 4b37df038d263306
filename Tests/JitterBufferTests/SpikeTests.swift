import Codecs
import JitterBuffer
import Testing

@Suite struct SpikeTests {
    /// Packets due in a stall of 120 ms all arrive at its end.
    static func stall(_ time: Double, at start: Double, random: inout TestRandom) -> [Double] {
        [time >= start && time < start + 120 ? start + 120 - time : 3 * random.unit()]
    }

    @Test(
        "Ten seconds after a stall of 120 ms the delay is what it was, even in a tone without a pause",
        arguments: [Codec.l16, .opus], [5.0, 10.0])
    func tone(codec: Codec, pull: Double) throws {
        var stream = StreamSimulation(codec: codec, seconds: 40, signal: Signal.tone(440))
        stream.pullMilliseconds = pull
        stream.network = { packet, random in Self.stall(packet.sentAt, at: 20_000, random: &random) }
        let result = try stream.run()
        let before = result.delay(15, 19.9)
        let after = result.delay(30, 40)
        #expect(abs(after - before) <= 5)
        #expect(result.gapMilliseconds(21, 39) == 0)
    }

    @Test("In speech the delay comes back in the next pause")
    func speech() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 30, signal: Signal.voice)
        stream.network = { packet, random in Self.stall(packet.sentAt, at: 19_000, random: &random) }
        let result = try stream.run()
        #expect(abs(result.delay(24, 30) - result.delay(14, 18.9)) <= 8)
    }

    @Test("In fluent speech the greater part of a great delay comes back in pauses too short to settle")
    func fluentSpeech() throws {
        var stream = StreamSimulation(codec: .l16, seconds: 30, signal: Signal.fluentVoice)
        stream.network = { packet, random in Self.stall(packet.sentAt, at: 19_300, random: &random) }
        let result = try stream.run()
        let before = result.delay(14, 18.9)
        #expect(result.delay(19.45, 19.6) > before + 80)
        #expect(result.delay(21.1, 21.5) < before + 60)
    }

    @Test("Stalls every 5 s are learnt, and their delay is given up when the next has stayed out")
    func recurring() throws {
        var stream = StreamSimulation(codec: .opus, seconds: 70, signal: Signal.tone(500))
        stream.network = { packet, random in
            packet.sentAt < 30_000
                ? Self.stall(packet.sentAt.truncatingRemainder(dividingBy: 5000), at: 4800, random: &random)
                : [3 * random.unit()]
        }
        let result = try stream.run()
        #expect(result.concealed(20, 30) <= 8)
        #expect(result.delay(30, 34.8) > 100)
        #expect(result.delay(35.2, 70) < 25)
    }

    @Test("The low profile does not take on the delay of stalls that recur")
    func low() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 40, signal: Signal.voice)
        stream.configuration = JitterBufferConfiguration(latency: .low)
        stream.network = { packet, random in
            Self.stall(packet.sentAt.truncatingRemainder(dividingBy: 5000), at: 4800, random: &random)
        }
        #expect(try stream.run().delay(20, 40) < 70)
    }

    @Test("An outage of 1.7 s is over two seconds after it ends")
    func outage() throws {
        var stream = StreamSimulation(codec: .pcmu, seconds: 50, signal: Signal.voice)
        stream.network = { packet, random in
            let time = packet.sentAt - 30_000
            return [time >= 0 && time < 1700 ? 1700 - time : 3 * random.unit()]
        }
        let result = try stream.run()
        let targets = result.pulls.filter { $0.time > 31_000 }.map(\.outcome.targetMs)
        #expect(try #require(targets.max()) < 35)
        #expect(result.concealed(33.7) == 0)
    }
}
