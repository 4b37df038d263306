import AudioDevices
import Testing

@Suite struct PlaybackTargetTests {
    @Test(arguments: [(240, 20.0), (480, 20.0), (960, 30.0), (96, 20.0)])
    func theTargetStartsAtOneAndAHalfPeriodsOrTheFloor(period: Int, milliseconds: Double) {
        let target = PlaybackTarget(period: period, buffer: 5760, rate: 48_000)
        #expect(abs(target.milliseconds - milliseconds) < 0.1)
    }

    @Test func underrunsInOneBurstCountOnceAndLaterOnesAgain() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.underran()
        let once = target.milliseconds
        target.underran()
        target.played(4_800)
        target.underran()
        #expect(once == 25 && target.milliseconds == once)
        target.played(24_000)
        target.underran()
        #expect(target.milliseconds == 31.25)
    }

    @Test func anEndlessRowOfUnderrunsEndsAtTheCeilingBelowTheBuffer() {
        var target = PlaybackTarget(period: 480, buffer: 5760, rate: 48_000)
        for _ in 0..<200 {
            target.underran()
            target.played(48_000)
        }
        #expect(target.frames <= 5760 - 480)
        #expect(target.milliseconds > 100)
    }

    @Test func itShrinksBackOnlyAfterACalmTimeAndSlowly() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.underran()
        let raised = target.milliseconds
        for _ in 0..<(200 * 119) { target.played(240) }
        #expect(target.milliseconds == raised)
        for _ in 0..<(200 * 6) { target.played(240) }
        #expect(target.milliseconds < raised && target.milliseconds > raised - 1.5)
        for _ in 0..<(200 * 60) { target.played(240) }
        #expect(target.milliseconds == 20)
    }

    @Test func aTurnThatWasNearlyTooLateRaisesItAsAnUnderrunDoesAndOthersDoNot() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.found(level: 240)
        #expect(target.milliseconds == 20)
        target.found(level: 150)
        #expect(target.milliseconds == 25)
    }

    /// Late turns, a second apart.
    private func target(late turns: [Double]) -> PlaybackTarget {
        var target = PlaybackTarget(period: 240, buffer: 14_400, rate: 48_000)
        for turn in turns {
            target.late(by: turn)
            for _ in 0..<200 { target.played(240) }
        }
        return target
    }

    @Test(
        "stops of the machine are made room for: a period, the server's own block, what follows a stop, and what they need",
        arguments: [8.0, 12, 20])
    func lateTurns(milliseconds: Double) {
        #expect(target(late: [milliseconds]).milliseconds == 20, "one alone is none")
        let some = target(late: Array(repeating: milliseconds, count: 8))
        let needed = 5 + 5 + 2.75 + milliseconds
        #expect(some.milliseconds >= max(20, needed) && some.milliseconds <= max(20, needed + milliseconds / 6 + 1))
        #expect(abs(some.reserveMilliseconds - (some.milliseconds - 20)) < 0.1)
    }

    @Test("what no machine's stop is leaves it", arguments: [2.0, -3, 201, -.infinity, .nan])
    func otherTurns(milliseconds: Double) {
        #expect(target(late: Array(repeating: milliseconds, count: 8)).milliseconds == 20)
    }

    @Test func whatStopsRaisedIsGivenBackSoonAfterTheyAreOver() {
        var target = target(late: Array(repeating: 16, count: 20))
        #expect(target.milliseconds > 26)
        for _ in 0..<(200 * 10) { target.played(240) }
        #expect(target.milliseconds == 20)
    }

    @Test func itIsRaisedAndLoweredByLittleAtATime() {
        var target = target(late: Array(repeating: 16, count: 20))
        var before = target.milliseconds
        for turn in 0..<(200 * 20) {
            if turn > 200 * 10, turn % 100 == 0 { target.late(by: 16) }
            target.played(240)
            #expect(abs(target.milliseconds - before) <= 1.01)
            before = target.milliseconds
        }
        #expect(before > 26)
    }

    @Test func anUnderrunThatALateTurnExplainsIsTheMachinesAlone() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.late(by: 60)
        target.underran()
        #expect(target.lead == 240, "what was held up waits to be fetched")
        target.played(240)
        #expect(target.milliseconds == 20 && target.lead == 720)
        target.underran()
        #expect(target.milliseconds == 25 && target.lead == 960, "a stop explains one underrun: this is the device's own")
    }

    @Test("a stream that began with little after a stop is nearly empty at first, which teaches nothing, until it was filled")
    func filling() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.played(48_000)
        target.late(by: 60)
        target.underran()
        for level in [240, 120, 0, 96] {
            target.found(level: level)
            target.played(240)
        }
        #expect(target.milliseconds == 20)
        target.found(level: 721)
        target.found(level: 96)
        #expect(target.milliseconds == 25)
    }

    @Test("a stop while a stream settles is not learned from, neither as one of others nor as the device's own trouble")
    func settling() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        for _ in 0..<4 {
            let isLearned = target.late(by: 16, isSettling: true)
            #expect(!isLearned)
            target.found(level: 96)
            target.found(level: 721)
            target.played(2400)
        }
        #expect(target.milliseconds == 20 && target.machine.stops == 0)
    }

    @Test("a stream that is not filled for long after a stop has a trouble of its own")
    func neverFilled() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.late(by: 60)
        target.underran()
        target.played(48_000 * 4 / 10)
        target.found(level: 96)
        #expect(target.milliseconds == 25)
    }

    /// A server that takes a period of 5 ms at once, and a player that looks every millisecond.
    private struct BlockServer {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        var level = 0

        /// Runs so many blocks; returns what is left when one was just taken.
        mutating func run(blocks: Int) -> Int {
            var left = level
            for turn in 0..<(5 * blocks) {
                if turn % 5 == 0 {
                    level -= 240
                    left = level
                }
                target.found(level: level)
                guard level <= target.frames - 240 else { continue }
                target.writes(at: level)
                target.played(240)
                level += 240
            }
            return left
        }
    }

    @Test(
        "after a stop the server's blocks may lie elsewhere: the delay is within half a period of the former one",
        arguments: [0, 24, 100, 140, 180, 239])
    func formerDelay(extra: Int) {
        var server = BlockServer()
        // Others that begin to play shift the server's blocks.
        server.level = server.target.lead + 240 + extra
        let before = server.run(blocks: 1000)
        for _ in 0..<3 {
            // So long that none like it is expected.
            server.target.late(by: 300)
            server.target.underran()
            server.level = server.target.lead + 240
            let after = server.run(blocks: 1000)
            #expect(after > 240 && after - before <= 120, "\(before) frames were left, \(after) are")
        }
    }

    @Test(
        "after a stop a stream waits until its blocks are heard in their former rhythm, unless its periods are long",
        arguments: [(0, 0), (1, 1), (-1, 239), (-240, 0), (1000, 40), (-1000, 200)])
    func rhythm(early: Int, wait: Int) {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        #expect(target.wait(forRhythm: early) == 0)
        target.late(by: 60)
        target.underran()
        #expect(target.wait(forRhythm: early) == wait)
        target.played(240)
        #expect(target.wait(forRhythm: early) == 0)
        var long = PlaybackTarget(period: 960, buffer: 14_400, rate: 48_000)
        long.late(by: 60)
        long.underran()
        #expect(long.wait(forRhythm: early) == 0)
    }

    @Test func aBufferOfOnePeriodDoesNotTrap() {
        var target = PlaybackTarget(period: 960, buffer: 960, rate: 48_000)
        target.underran()
        target.played(960)
        #expect(target.frames >= 0)
    }

    @Test("S6: what a stream stalls for when it moves is not learned from, before nor after")
    func movesAreForgiven() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.played(48_000)
        let before = target.frames
        target.underran()
        #expect(target.frames > before)
        target.moved()
        #expect(target.frames == before)
        target.played(24_000)
        target.underran()
        #expect(target.frames == before, "soon after")
        target.played(Int(PlaybackTarget.moveSeconds * 48_000))
        target.underran()
        #expect(target.frames > before, "later it counts again")
        target.played(Int(PlaybackTarget.moveSeconds * 48_000))
        let learned = target.frames
        target.moved()
        #expect(target.frames == learned, "what was learned before the move stays")
    }
}
