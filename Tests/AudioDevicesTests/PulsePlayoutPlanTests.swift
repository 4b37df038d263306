import AudioDevices
import Testing

/// A server in virtual time that takes a block whenever it needs one, and a machine that may stand still.
@Suite struct PulsePlayoutPlanTests {
    private static let millisecond: Int64 = 1_000_000

    private struct Server {
        var plan: PulsePlayoutPlan
        let period: Int
        let block: Int
        /// Frames it has, and when it takes the next block.
        var queued = 0
        var nextBlock: Int64 = 0
        var now: Int64 = 0
        var turns = 0
        var written = 0
        var silences: [Int] = []
        /// What the queue was down to right before a period was written, and the longest it was after that.
        var levels: [Int] = []
        var highest = 0
        var isReady = true
        var discarded = 0

        init(period: Int = 240, block: Int = 240) {
            self.period = period
            self.block = block
            plan = PulsePlayoutPlan(period: period, buffer: 5760, rate: 48_000)
            plan.begin(at: 0)
        }

        private static func time(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000 / 48 }

        /// Runs until `end`; the machine stands still within `stop`.
        mutating func run(until end: Int64, stop: Range<Int64>? = nil, takes: Bool = true) {
            while now < end {
                let due = plan.due
                let asked = due ?? min(nextBlock, now + 10_000_000)
                var next = due ?? asked + BlockRhythm.settling
                if let stop, stop.contains(next) { next = stop.upperBound }
                now = max(now, next)
                while nextBlock <= now {
                    if takes { queued -= block }
                    nextBlock += Self.time(block)
                }
                turn(asked: due ?? now)
            }
        }

        mutating func turn(asked: Int64) {
            turns += 1
            _ = plan.turns(at: now, asked: asked)
            switch plan.step(at: now, queued: queued, latency: nil, canFetch: isReady) {
            case .write(let skipped):
                if plan.silentFrames > 0 { silences.append(plan.silentFrames) }
                levels.append(queued)
                queued += skipped + period
                highest = max(highest, queued)
                written += 1
            case .discard: discarded += 1
            case .wait, .stalled: break
            }
        }
    }

    @Test func aQuietMachineHoldsTheTargetWithHardlyMoreThanOneTurnAPeriod() {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        (server.turns, server.written, server.levels, server.highest) = (0, 0, [], 0)
        server.run(until: 11_000 * Self.millisecond)
        #expect((1990...2010).contains(server.written))
        #expect(server.turns < 2500, "\(server.turns) turns in ten seconds")
        #expect(server.levels.allSatisfy { $0 == 720 }, "a period is written right after a block was taken")
        #expect(server.highest == 960 && server.silences.isEmpty, "20 ms")
    }

    @Test(arguments: [(240, 480), (480, 480), (960, 960)]) func blocksOfAServerOfItsOwnKindAreFollowed(period: Int, block: Int)
    {
        var server = Server(period: period, block: block)
        server.run(until: 5000 * Self.millisecond)
        server.silences = []
        server.written = 0
        server.run(until: 15_000 * Self.millisecond)
        #expect(abs(server.written * period - 480_000) <= 2 * block)
        #expect(server.silences.isEmpty)
    }

    @Test func aStopThatIsShorterThanWhatIsHeldIsNotHeard() {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        let stop = 1003 * Self.millisecond..<1015 * Self.millisecond
        server.run(until: 2000 * Self.millisecond, stop: stop)
        #expect(server.silences.isEmpty)
        #expect(server.plan.target.machine.stops == 1)
        #expect(server.queued >= 720, "what was missed is made up for")
    }

    @Test(
        "after a stop somebody who has nothing ready is waited for until just before the server needs it",
        arguments: [7, 9, 11, 13])
    func waitsForTheApplication(milliseconds: Int64) {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        server.now = 1000 * Self.millisecond
        // Two blocks are taken meanwhile. The turn after it writes what there is.
        let begin = server.nextBlock + Self.millisecond / 10
        let end = begin + 12 * Self.millisecond
        server.run(until: begin)
        server.run(until: end, stop: begin..<end)
        server.isReady = false
        server.written = 0
        server.run(until: end + milliseconds * Self.millisecond)
        // The server has a block left from 8 ms after it on, and takes that 13 ms after it.
        #expect(server.written == (milliseconds < 12 ? 0 : 1), "\(server.written) at \(milliseconds) ms")
        server.isReady = true
        server.run(until: end + 2000 * Self.millisecond)
        #expect(server.silences.isEmpty)
    }

    @Test func aLongerOneIsSilenceOnceAndTheDelayIsAsBeforeAfterIt() {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        server.run(until: 2000 * Self.millisecond, stop: 1003 * Self.millisecond..<1063 * Self.millisecond)
        #expect(server.silences.count == 1)
        #expect((server.silences.first ?? 0) < 48 * 70)
        server.highest = 0
        server.run(until: 8000 * Self.millisecond)
        #expect(server.silences.count == 1)
        server.run(until: 9000 * Self.millisecond)
        #expect(server.plan.target.milliseconds < 21, "one stop alone says nothing of others")
    }

    @Test(
        "after a stop blocks are heard in their former rhythm: the server's lie as they lay, and the delay is the former one",
        arguments: [0, 60, 100, 180], [57, 60, 63])
    func formerRhythm(shift: Int, milliseconds: Int64) {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        // Others that begin to play shift the server's blocks.
        server.queued -= shift
        server.run(until: 11_000 * Self.millisecond)
        server.levels = []
        server.run(until: 11_500 * Self.millisecond)
        let before = Set(server.levels)
        let begin = 11_503 * Self.millisecond
        server.run(until: 12_000 * Self.millisecond, stop: begin..<begin + milliseconds * Self.millisecond)
        #expect(server.silences.count == 1 && server.silences.allSatisfy { $0 % 240 == 0 }, "\(server.silences)")
        server.levels = []
        server.run(until: 14_000 * Self.millisecond)
        #expect(server.silences.count == 1)
        #expect(Set(server.levels) == before, "\(before) frames were left, \(Set(server.levels)) are")
    }

    @Test func longPeriodsAreNotWaitedFor() {
        var server = Server(period: 960, block: 960)
        server.run(until: 1003 * Self.millisecond)
        server.queued -= 100
        server.run(until: 2000 * Self.millisecond, stop: 1003 * Self.millisecond..<1103 * Self.millisecond)
        #expect(server.silences.count == 1 && (server.silences.first ?? 0) % 960 != 0)
    }

    @Test(
        "the level held after a stop is the one that a period was usually written at, within half a period",
        arguments: [(0, 960), (60, 960), (170, 850)])
    func usualLevel(shift: Int, frames: Int) {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        server.queued -= shift
        server.run(until: 11_000 * Self.millisecond)
        server.run(until: 12_000 * Self.millisecond, stop: 11_003 * Self.millisecond..<11_063 * Self.millisecond)
        #expect(server.silences.count == 1 && (frames...frames + 10).contains(server.plan.target.frames))
    }

    @Test func aServerThatHasPlayedOnIsWrittenToWhereItIs() {
        var plan = PulsePlayoutPlan(period: 240, buffer: 5760, rate: 48_000)
        plan.begin(at: 0)
        // nothing was written since it began, long ago
        #expect(plan.step(at: 0, queued: -14_160, latency: nil, canFetch: true) == .write(skipping: 14_160 + 720))
        #expect(plan.silentFrames == 0, "that is no underrun")
        #expect(plan.step(at: 20 * Self.millisecond, queued: -480, latency: nil, canFetch: true) == .write(skipping: 480 + 960))
        #expect(plan.silentFrames == 480 + 960, "and that is one, which made the target grow by 5 ms")
    }

    @Test func whoHasNothingReadyIsWaitedForWhileThereIsSomethingToPlay() {
        var server = Server()
        server.run(until: 1000 * Self.millisecond)
        let written = server.written
        server.isReady = false
        server.run(until: 1007 * Self.millisecond)
        #expect(server.written <= written + 1)
        server.run(until: 1030 * Self.millisecond)
        #expect(server.written > written, "but not into an underrun")
        #expect(server.silences.isEmpty)
    }

    @Test func aServerThatTakesNothingIsNotWaitedForAndIsLostInTheEnd() {
        var server = Server()
        server.run(until: 6000 * Self.millisecond)
        server.run(until: 6500 * Self.millisecond, takes: false)
        #expect((60...75).contains(server.discarded), "the application's pace goes on: \(server.discarded)")
        #expect(server.plan.step(at: 7100 * Self.millisecond, queued: server.queued, latency: nil, canFetch: true) == .stalled)
    }

    @Test func whatIsLeftToBeHeardCountsWhereItIsLessByAPeriodAtMost() {
        var plan = PulsePlayoutPlan(period: 240, buffer: 5760, rate: 48_000)
        plan.begin(at: 0)
        _ = plan.step(at: 0, queued: 0, latency: nil, canFetch: true)
        #expect(plan.step(at: 2 * Self.millisecond, queued: 960, latency: 960, canFetch: true) == .wait)
        #expect(plan.step(at: 8 * Self.millisecond, queued: 960, latency: 700, canFetch: true) == .write(skipping: 0))
        #expect(plan.step(at: 9 * Self.millisecond, queued: 1200, latency: 0, canFetch: true) == .wait, "but never floods")
    }

    @Test(
        "what is left to be heard is what the server says of it, as far as a step of what it took explains that",
        arguments: [(960, nil, 960), (960, 1200, 1200), (960, 900, 900), (960, 0, 720), (-480, -240, -240), (-480, nil, -480)])
    func leftToBeHeard(queued: Int, latency: Int?, delay: Int) {
        let plan = PulsePlayoutPlan(period: 240, buffer: 5760, rate: 48_000)
        #expect(plan.delay(queued: queued, latency: latency) == delay)
    }

    @Test func numbersOfABrokenServerDoNotTrap() {
        var plan = PulsePlayoutPlan(period: 240, buffer: 5760, rate: 48_000)
        plan.begin(at: 0)
        for queued in [Int(Int32.max), Int(Int32.min), 0, -1, 1_000_000] {
            for latency in [nil, 0, Int(Int32.max), Int(Int32.min)] {
                _ = plan.step(at: 5, queued: queued, latency: latency, canFetch: true)
            }
        }
    }
}
