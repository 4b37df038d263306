import Foundation
import Realtime
import Testing

@Suite("How late a machine is") struct MachineLatenessTests {
    /// Stops of these lengths in milliseconds, so many seconds apart.
    private func machine(_ lengths: [Double], every seconds: Double = 0.7) -> MachineLateness {
        var machine = MachineLateness()
        for length in lengths {
            machine.pass(seconds: seconds)
            machine.turn(lateBy: length)
        }
        return machine
    }

    @Test func aMachineInTimeNeedsNothing() {
        var machine = MachineLateness()
        for turn in 0..<10_000 {
            machine.pass(seconds: 0.005)
            let isStop = machine.turn(lateBy: Double(turn % 5) / 2)
            #expect(!isStop)
        }
        #expect(machine.stops == 0 && !machine.expectsStops)
        #expect(machine.reserve(ready: 10) == 10)
        #expect(machine.lateness99 == 2.5)
    }

    @Test func oneStopAloneSaysNothingTwoAreExpectedAgain() {
        #expect(machine([18]).reserve(ready: 10) == 10)
        #expect(machine([18, 12]).reserve(ready: 10) > 12)
        let two = machine([18, 17])
        #expect(two.stops == 2 && two.longestMilliseconds == 18)
        // The longest of two is not the longest there is: half as long again is foreseen.
        #expect((19...27).contains(two.reserve(ready: 10)))
    }

    @Test("what many stops need is little more than the longest of them", arguments: [(4.0, 12.0), (4, 21)])
    func manyStops(low: Double, high: Double) {
        var random = SplitMix64(seed: 7)
        let lengths = (0..<32).map { _ in low + (high - low) * random.unit() }
        let reserve = machine(lengths).reserve(ready: 5)
        let longest = lengths.max() ?? 0
        #expect(reserve >= longest && reserve <= longest * 1.1 + 1, "\(reserve) for stops of up to \(longest) ms")
    }

    @Test func whatIsThereAnywayCostsNothing() {
        #expect(machine([4, 5, 6, 5, 4, 6]).reserve(ready: 10) == 10)
    }

    @Test func aLongStopAmongShortOnesIsNotWorthItsDelayAllTheTime() {
        let often = machine(Array(repeating: 6, count: 20) + [60], every: 5)
        #expect(often.reserve(ready: 10) == 10)
        // Without delay that costs something it would be.
        var cheap = MachineLateness(price: 0.01)
        for length in [6.0, 6, 60] {
            cheap.pass(seconds: 5)
            cheap.turn(lateBy: length)
        }
        #expect(cheap.reserve(ready: 10) >= 60)
    }

    @Test func stopsThatAreOverAreForgottenSoonAndRememberedWithTheNextOne() {
        var machine = machine([15, 8, 19, 6, 12, 18, 9, 16])
        let held = machine.reserve(ready: 10)
        #expect(held > 18)
        machine.pass(seconds: 3)
        #expect(machine.reserve(ready: 10) == held, "three seconds are no long pause")
        machine.pass(seconds: 2)
        #expect(!machine.expectsStops && machine.reserve(ready: 10) == 10)
        machine.turn(lateBy: 5)
        #expect(machine.reserve(ready: 10) > 18)
    }

    @Test("however often they come, a lull of less than 4 s is no end of them")
    func lull() {
        var machine = machine([15, 8, 19, 6, 12, 18, 9, 16], every: 0.3)
        let held = machine.reserve(ready: 10)
        machine.pass(seconds: 3.9)
        #expect(held > 18 && machine.reserve(ready: 10) == held)
        machine.pass(seconds: 0.2)
        #expect(!machine.expectsStops)
    }

    @Test("from the fourth stop on, fewer than one of 90 is longer than what was held for it")
    func foreseen() {
        var (all, longer) = (0, 0)
        for seed in UInt64(1)...40 {
            var random = SplitMix64(seed: seed)
            var machine = MachineLateness()
            for number in 0..<86 {
                let length = 4 + 17 * random.unit()
                if number >= 3 {
                    all += 1
                    longer += length > machine.reserve(ready: 10) ? 1 : 0
                }
                machine.pass(seconds: 0.7)
                machine.turn(lateBy: length)
            }
        }
        #expect(longer * 90 < all, "\(longer) of \(all)")
    }

    @Test("what it pays to hold hardly changes while stops of the same kind go on", arguments: [(4.0, 12.0), (4, 21)])
    func steady(low: Double, high: Double) {
        for seed in UInt64(1)...20 {
            let (least, most, _) = bounds(low: low, high: high, seed: seed, isKept: false)
            #expect(most - least <= 1.5, "\(least) to \(most) ms, seed \(seed)")
        }
    }

    @Test("what is held is kept while stops of the same kind go on", arguments: [(4.0, 12.0), (4, 21)])
    func kept(low: Double, high: Double) {
        var moves = (kept: 0, best: 0)
        for seed in UInt64(1)...20 {
            let (least, most, number) = bounds(low: low, high: high, seed: seed, isKept: true)
            #expect(most - least <= 1.5 && least > high - 4.5, "\(least) to \(most) ms, seed \(seed)")
            moves.kept += number
            moves.best += bounds(low: low, high: high, seed: seed, isKept: false).moves
        }
        #expect(moves.kept * 5 < moves.best, "\(moves)")
    }

    /// The least and the most that is held among 170 stops, after 100 of them, and how often it moves.
    private func bounds(low: Double, high: Double, seed: UInt64, isKept: Bool) -> (least: Double, most: Double, moves: Int) {
        var random = SplitMix64(seed: seed)
        var machine = MachineLateness()
        var (least, most, held, moves) = (Double.infinity, 0.0, 0.0, 0)
        for number in 0..<270 {
            machine.pass(seconds: min(4, -0.7 * log(1 - random.unit())))
            machine.turn(lateBy: low + (high - low) * random.unit())
            let before = held
            // As a device follows it: by little at a time.
            for _ in 0..<100 {
                let next = machine.reserve(ready: 10, held: isKept ? held : 0)
                held += max(-0.3, min(next - held, 0.3))
            }
            guard number >= 100 else { continue }
            (least, most) = (min(least, held), max(most, held))
            moves += abs(held - before) > 0.01 ? 1 : 0
        }
        return (least, most, moves)
    }

    @Test func rareStopsAreWaitedForLonger() {
        var machine = machine([15, 18, 19, 16], every: 3)
        machine.pass(seconds: 15)
        #expect(machine.expectsStops)
        machine.pass(seconds: 300)
        #expect(!machine.expectsStops)
        // After so long the next one is the first.
        machine.turn(lateBy: 15)
        #expect(!machine.expectsStops)
    }

    @Test func aStoppedProgramIsCountedButNotExpectedAgain() {
        let machine = machine([3000, 3000, 5000])
        #expect(machine.stops == 3 && machine.longestMilliseconds == 5000)
        #expect(machine.reserve(ready: 10) == 10)
    }

    @Test("any number is taken", arguments: [.nan, .infinity, -.infinity, -3, 1e300, 200.000001])
    func anyNumber(milliseconds: Double) {
        var machine = machine([milliseconds, milliseconds])
        machine.pass(seconds: 1)
        #expect(machine.reserve(ready: 10) == 10)
        #expect(machine.lateness99 >= 0)
    }

    @Test func whatOneThreadLeavesAnotherOneReads() {
        let board = MachineBoard()
        #expect(board.reading == MachineReading())
        board.write(machine([5, 7]), reserveMilliseconds: 3.5)
        let stop = MachineStop(begin: HostTime(milliseconds: 10), end: HostTime(milliseconds: 17))
        board.write(stop)
        let reading = board.reading
        #expect(reading.stops == 2 && reading.longestMilliseconds == 7 && reading.reserveMilliseconds == 3.5)
        #expect(reading.lastStop == stop && reading.lastLateTurn == nil)
        let late = MachineStop(begin: HostTime(milliseconds: 20), end: HostTime(milliseconds: 22))
        board.write(late)
        #expect(board.reading.lastStop == stop && board.reading.lastLateTurn == late)
    }

    @Test(
        "a turn tells of a stop since the turn before, of less since it was due, and nothing where it was in time",
        arguments: [
            (true, 3.0, 8.0), (true, 40, 45), (false, 1, 1), (false, 2.9, 2.9), (false, 0.9, nil),
            (false, 3, nil), (false, .nan, nil), (false, .infinity, nil), (false, -.infinity, nil), (false, 1e300, nil),
        ])
    func found(isStop: Bool, late: Double, length: Double?) throws {
        let begin = HostTime(milliseconds: 100)
        let now = HostTime(milliseconds: 105 + (abs(late) < 1000 ? late : 0))
        let stop = MachineStop.found(isStop: isStop, since: begin, lateBy: late, now: now)
        #expect(stop?.milliseconds == length && stop.map { $0.isStop == isStop } ?? true)
        #expect(stop.map { $0.inWholeMicroseconds.isStop == isStop } ?? true)
    }

    @Test("a stop is as long as the turn was late, also where a turn that was not due came just before")
    func shortlyAfterATurn() throws {
        let now = HostTime(milliseconds: 105)
        let stop = MachineStop.found(isStop: true, since: HostTime(milliseconds: 104), lateBy: 4, now: now)
        #expect(stop?.isStop == true && stop?.milliseconds == 4)
    }
}
