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

    @Test(
        "Two late turns make room for one twice as late as the less late, and the server's own block",
        arguments: [
            (5.0, 20.0), (8, 26), (9, 28), (20, 50), (60, 50), (101, 20), (-3, 20), (-.infinity, 20), (.nan, 20),
        ])
    func lateTurns(milliseconds: Double, target wanted: Double) {
        var target = PlaybackTarget(period: 240, buffer: 14_400, rate: 48_000)
        target.late(by: 20)
        target.played(48_000)
        #expect(target.milliseconds == 20, "one alone is none")
        for _ in 0..<2 {
            target.late(by: milliseconds)
            target.played(48_000)
            #expect(abs(target.milliseconds - wanted) < 0.1, "the same again adds nothing")
        }
    }

    @Test func lateTurnsInOneBurstAndOnesFarApartAreNotTakenForTwo() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.late(by: 12)
        target.played(4800)
        target.late(by: 12)
        #expect(target.milliseconds == 20)
        for _ in 0..<(200 * 121) { target.played(240) }
        target.late(by: 12)
        #expect(target.milliseconds == 20)
    }

    @Test func whatLateTurnsRaisedShrinksAfterACalmTimeInWhichNoneIsNearlyAsLate() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.late(by: 10)
        target.played(48_000)
        target.late(by: 10)
        let raised = target.milliseconds
        for _ in 0..<4 {
            for _ in 0..<(200 * 50) { target.played(240) }
            target.late(by: 9)
        }
        #expect(raised == 30 && target.milliseconds == raised)
        for _ in 0..<(200 * 120) {
            target.played(240)
            target.late(by: 1)
        }
        #expect(target.milliseconds == 20)
    }

    @Test func anUnderrunThatALateTurnExplainsIsNotCountedAgain() {
        var target = PlaybackTarget(period: 240, buffer: 5760, rate: 48_000)
        target.late(by: 16)
        target.played(48_000)
        target.late(by: 16)
        let raised = target.milliseconds
        target.underran()
        #expect(raised == 42 && target.milliseconds == raised)
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
