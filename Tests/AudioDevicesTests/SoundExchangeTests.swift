import AudioDevices
import Realtime
import Testing

/// Sound between a call and a program, without a clock.
struct SoundExchangeTests {
    private let start = HostTime.zero.advanced(byMilliseconds: 1000)

    /// A program that is there.
    private func exchange(_ rate: Int = 8000, announcement: [Float] = []) -> SoundExchange {
        let exchange = SoundExchange(sampleRate: rate, announcement: announcement, awaySince: start)
        exchange.arrive()
        return exchange
    }

    private func time(_ milliseconds: Double) -> HostTime { start.advanced(byMilliseconds: milliseconds) }

    /// What the device plays next.
    private func play(_ exchange: SoundExchange, _ count: Int, at milliseconds: Double = 0) -> [Float] {
        var samples = [Float](repeating: -1, count: count)
        let taken = samples.withUnsafeMutableBufferPointer {
            exchange.read(into: $0.baseAddress!, count: count, at: time(milliseconds))
        }
        return Array(samples[..<taken])
    }

    private func say(_ exchange: SoundExchange, _ samples: [Float], at milliseconds: Double = 0) {
        exchange.say(samples, at: time(milliseconds))
    }

    private func hear(_ exchange: SoundExchange, _ samples: [Float]) {
        samples.withUnsafeBufferPointer { exchange.write($0.baseAddress!, count: $0.count) }
    }

    @Test func whatIsSaidIsPlayedOnceAndInOrder() {
        let exchange = self.exchange()
        let said = (0..<8000 * 3).map { Float($0) * 0x1p-16 }
        var played: [Float] = []
        for start in stride(from: 0, to: said.count, by: 160) {
            say(exchange, Array(said[start..<start + 160]))
            played += play(exchange, 80)
            played += play(exchange, 80)
        }
        #expect(played == said)
        #expect(exchange.losses == SoundExchange.Losses())
    }

    @Test func speechBeginsWhenTenMillisecondsAreThere() {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 79))
        #expect(play(exchange, 40).isEmpty)
        say(exchange, [0.5])
        #expect(play(exchange, 40).count == 40)
    }

    @Test func whatComesLateIsToldAndMakesTheReserveGrowToABound() {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 80))
        #expect(play(exchange, 80, at: 10).count == 80)
        #expect(play(exchange, 80, at: 20).isEmpty)
        // 30 ms after it was wanted: from now on speech begins with 40 ms.
        say(exchange, [Float](repeating: 0.5, count: 319), at: 50)
        #expect(exchange.losses.late == 240)
        #expect(play(exchange, 80, at: 60).isEmpty)
        say(exchange, [0.5], at: 61)
        #expect(play(exchange, 80, at: 70).count == 80)
        // As late as can be without being a pause, again and again: 80 ms are enough.
        var now = 100.0
        for _ in 0..<10 {
            say(exchange, [Float](repeating: 0.5, count: 640), at: now)
            while !play(exchange, 80, at: now).isEmpty { now += 10 }
            now += 190
        }
        say(exchange, [Float](repeating: 0.5, count: 640), at: now)
        #expect(play(exchange, 80, at: now).count == 80)
    }

    @Test func aPauseIsNoLateness() {
        let exchange = self.exchange()
        for sentence in 0..<5 {
            let now = 1000 * Double(sentence)
            say(exchange, [Float](repeating: 0.5, count: 80), at: now)
            #expect(play(exchange, 80, at: now).count == 80)
            #expect(play(exchange, 80, at: now + 10).isEmpty)
        }
        #expect(exchange.losses.late == 0)
    }

    @Test func latenessIsForgotten() {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 80))
        _ = play(exchange, 160)
        say(exchange, [Float](repeating: 0.5, count: 400), at: 40)
        #expect(play(exchange, 400, at: 40).count == 400)
        _ = play(exchange, 80, at: 90)
        // 50 ms before, 25 ms after 10 s, 12.5 ms after another 10 s.
        for (seconds, least) in [(12.0, 400), (24.0, 200)] {
            say(exchange, [Float](repeating: 0.5, count: least - 1), at: seconds * 1000)
            #expect(play(exchange, 8, at: seconds * 1000).isEmpty)
            say(exchange, [0.5], at: seconds * 1000)
            #expect(play(exchange, least, at: seconds * 1000).count == least)
            _ = play(exchange, 8, at: seconds * 1000 + 100)
        }
    }

    @Test func aMarkKnowsWhenItsSoundWasAtTheMicrophone() throws {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 120), at: 4)
        #expect(exchange.mark("middle"))
        say(exchange, [Float](repeating: 0.5, count: 200), at: 5)
        #expect(play(exchange, 80, at: 10).count == 80)
        #expect(play(exchange, 80, at: 20).count == 80)
        // The first sample came 6 ms before its block was handed over, and so every other one.
        let reached = try #require(exchange.takeReached().first)
        #expect(reached.time == time(20 - 6 + 5))
        #expect(exchange.delay(periodMilliseconds: 10).said == 6)
    }

    @Test func theWayToTheProgramIsItsShareOfTheDelay() {
        let exchange = self.exchange()
        exchange.setDistance(milliseconds: 7)
        #expect(exchange.delay(periodMilliseconds: 10).said == nil)
        #expect(exchange.delay(periodMilliseconds: 10).heard == 17)
    }

    @Test func whileTheProgramIsAwayTheAnnouncementIsHeardAfterASecondAgainAndAgain() {
        let announcement = (1...100).map { Float($0) * 0x1p-8 }
        let exchange = self.exchange(announcement: announcement)
        say(exchange, [Float](repeating: 0.5, count: 8000))
        #expect(exchange.mark("never"))
        exchange.leave(at: time(0))
        #expect(play(exchange, 80, at: 10).isEmpty)
        #expect(play(exchange, 80, at: 999).isEmpty)
        #expect(play(exchange, 80, at: 1000) == Array(announcement[..<80]))
        #expect(play(exchange, 80, at: 1010) == Array(announcement[80...] + announcement[..<60]))
        // A program that comes back says its own, and hears nothing of what was before.
        hear(exchange, [Float](repeating: 0.25, count: 160))
        exchange.arrive()
        #expect(exchange.takeHeard() == nil && exchange.takeReached().isEmpty)
        #expect(play(exchange, 80, at: 1020).isEmpty)
        exchange.leave(at: time(1030))
        #expect(play(exchange, 80, at: 2029).isEmpty)
        #expect(play(exchange, 80, at: 2030) == Array(announcement[..<80]))
    }

    @Test func clearSilencesWhatIsQueuedAndItsMarksAreReached() {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 8000))
        #expect(exchange.mark("end"))
        #expect(play(exchange, 80).count == 80)
        #expect(exchange.takeReached().isEmpty)
        exchange.clear()
        #expect(play(exchange, 80).isEmpty)
        #expect(exchange.takeReached().map(\.name) == ["end"])
    }

    @Test func aMarkIsReachedWhenTheSoundBeforeItHasBeenPlayed() {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 160))
        #expect(exchange.mark("half"))
        say(exchange, [Float](repeating: 0.5, count: 160))
        #expect(exchange.mark("whole"))
        _ = play(exchange, 80)
        #expect(exchange.takeReached().isEmpty)
        _ = play(exchange, 80)
        #expect(exchange.takeReached().map(\.name) == ["half"])
        _ = play(exchange, 160)
        #expect(exchange.takeReached().map(\.name) == ["whole"])
    }

    @Test func aMarkBehindNothingIsReachedAtOnce() {
        let exchange = self.exchange()
        #expect(exchange.mark("now"))
        _ = play(exchange, 80)
        #expect(exchange.takeReached().map(\.name) == ["now"])
    }

    @Test func marksAreBounded() {
        let exchange = self.exchange()
        say(exchange, [Float](repeating: 0.5, count: 8000))
        #expect((0..<SoundExchange.markLimit).allSatisfy { exchange.mark("\($0)") })
        #expect(!exchange.mark("one more"))
    }

    @Test func whoFloodsLosesTheNewestAndIsTold() {
        let exchange = self.exchange()
        for _ in 0..<SoundExchange.aheadSeconds + 2 { say(exchange, [Float](repeating: 0.25, count: 8000)) }
        #expect(exchange.losses.flooded == 16_000)
        #expect(exchange.aheadSeconds == Double(SoundExchange.aheadSeconds))
    }

    @Test func whoDoesNotReadLosesTheOldestAndIsTold() {
        let exchange = self.exchange()
        let heard = (0..<8000 * 3).map { Float($0) }
        for start in stride(from: 0, to: heard.count, by: 80) { hear(exchange, Array(heard[start..<start + 80])) }
        #expect(exchange.losses.unheard == 8000)
        #expect(exchange.takeHeard()?.first == 8000)
    }

    @Test func aPacketRingsAndIsTakenWhole() {
        let exchange = self.exchange(16_000)
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
