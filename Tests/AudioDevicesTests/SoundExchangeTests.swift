import AudioDevices
import Realtime
import Testing

/// Sound between a call and a program, without a clock.
struct SoundExchangeTests {
    /// What the device plays next.
    private func play(_ exchange: SoundExchange, _ count: Int) -> [Float] {
        var samples = [Float](repeating: -1, count: count)
        let taken = samples.withUnsafeMutableBufferPointer { exchange.read(into: $0.baseAddress!, count: count) }
        return Array(samples[..<taken])
    }

    private func hear(_ exchange: SoundExchange, _ samples: [Float]) {
        samples.withUnsafeBufferPointer { exchange.write($0.baseAddress!, count: $0.count) }
    }

    @Test func whatIsSaidIsPlayedOnceAndInOrder() {
        let exchange = SoundExchange(sampleRate: 8000)
        let said = (0..<8000 * 3).map { Float($0) * 0x1p-16 }
        var played: [Float] = []
        for start in stride(from: 0, to: said.count, by: 160) {
            exchange.say(Array(said[start..<start + 160]))
            played += play(exchange, 80)
            played += play(exchange, 80)
        }
        #expect(played == said)
        #expect(exchange.losses == SoundExchange.Losses())
    }

    @Test func speechBeginsWhenTenMillisecondsAreThere() {
        let exchange = SoundExchange(sampleRate: 8000)
        exchange.say([Float](repeating: 0.5, count: 79))
        #expect(play(exchange, 40).isEmpty)
        exchange.say([0.5])
        #expect(play(exchange, 40).count == 40)
    }

    @Test func lateSpeechMakesTheReserveGrowToABound() {
        let exchange = SoundExchange(sampleRate: 8000)
        for _ in 0..<10 {
            exchange.say([Float](repeating: 0.5, count: 640))
            while !play(exchange, 80).isEmpty {}
        }
        // 80 ms, whatever happened: as much as was said at once.
        exchange.say([Float](repeating: 0.5, count: 640))
        #expect(play(exchange, 80).count == 80)
        #expect(exchange.losses.late > 0)
    }

    @Test func clearSilencesWhatIsQueuedAndItsMarksAreReached() {
        let exchange = SoundExchange(sampleRate: 8000)
        exchange.say([Float](repeating: 0.5, count: 8000))
        #expect(exchange.mark("end"))
        #expect(play(exchange, 80).count == 80)
        #expect(exchange.takeReached() == [])
        exchange.clear()
        #expect(play(exchange, 80).isEmpty)
        #expect(exchange.takeReached() == ["end"])
    }

    @Test func aMarkIsReachedWhenTheSoundBeforeItHasBeenPlayed() {
        let exchange = SoundExchange(sampleRate: 8000)
        exchange.say([Float](repeating: 0.5, count: 160))
        #expect(exchange.mark("half"))
        exchange.say([Float](repeating: 0.5, count: 160))
        #expect(exchange.mark("whole"))
        _ = play(exchange, 80)
        #expect(exchange.takeReached() == [])
        _ = play(exchange, 80)
        #expect(exchange.takeReached() == ["half"])
        _ = play(exchange, 160)
        #expect(exchange.takeReached() == ["whole"])
    }

    @Test func aMarkBehindNothingIsReachedAtOnce() {
        let exchange = SoundExchange(sampleRate: 8000)
        #expect(exchange.mark("now"))
        _ = play(exchange, 80)
        #expect(exchange.takeReached() == ["now"])
    }

    @Test func marksAreBounded() {
        let exchange = SoundExchange(sampleRate: 8000)
        exchange.say([Float](repeating: 0.5, count: 8000))
        #expect((0..<SoundExchange.markLimit).allSatisfy { exchange.mark("\($0)") })
        #expect(!exchange.mark("one more"))
    }

    @Test func whoFloodsLosesTheNewestAndIsTold() {
        let exchange = SoundExchange(sampleRate: 8000)
        for _ in 0..<SoundExchange.aheadSeconds + 2 { exchange.say([Float](repeating: 0.25, count: 8000)) }
        #expect(exchange.losses.flooded == 16_000)
        #expect(exchange.aheadSeconds == Double(SoundExchange.aheadSeconds))
    }

    @Test func whoDoesNotReadLosesTheOldestAndIsTold() {
        let exchange = SoundExchange(sampleRate: 8000)
        let heard = (0..<8000 * 3).map { Float($0) }
        for start in stride(from: 0, to: heard.count, by: 80) { hear(exchange, Array(heard[start..<start + 80])) }
        #expect(exchange.losses.unheard == 8000)
        #expect(exchange.takeHeard()?.first == 8000)
    }

    @Test func aPacketRingsAndIsTakenWhole() {
        let exchange = SoundExchange(sampleRate: 16_000)
        let rings = Lock(0)
        exchange.setBell { rings.withLock { $0 += 1 } }
        hear(exchange, [Float](repeating: 0.5, count: 160))
        #expect(exchange.takeHeard() == nil)
        hear(exchange, [Float](repeating: 0.5, count: 160))
        #expect(rings.withLock { $0 } == 1)
        #expect(exchange.takeHeard()?.count == 320)
        #expect(exchange.takeHeard() == nil)
    }
}
