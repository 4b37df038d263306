import AudioDevices
import Testing

/// A server in virtual time whose blocks come in pieces, and who looks for them as a device's thread does.
@Suite struct BlockRhythmTests {
    private struct Piece {
        var at: Int64
        var sound: Int64
    }

    private struct Looks {
        var wakeUps = 0
        /// How long each piece waited to be taken.
        var lags: [Int64] = []
    }

    private static let millisecond: Int64 = 1_000_000

    /// Blocks of `block` milliseconds for ten seconds, each in three pieces 40 µs apart; `late` says by how much one is.
    private func pieces(block: Int64 = 5, late: (Int64) -> Int64 = { _ in 0 }) -> [Piece] {
        (1...(10_000 / block)).flatMap { number in
            let at = number * block * Self.millisecond + late(number)
            let part = block * Self.millisecond / 4
            return [
                Piece(at: at, sound: part), Piece(at: at + 40_000, sound: part), Piece(at: at + 80_000, sound: 2 * part),
            ]
        }
    }

    private func look(at pieces: [Piece], from start: Int64 = 0) -> Looks {
        var looks = Looks()
        var rhythm = BlockRhythm()
        var now: Int64 = 0
        var next = 0
        var waiting: [Piece] = []
        while next < pieces.count {
            var count = 1
            if let due = rhythm.due {
                now = max(now, due)
            } else {
                // the socket wakes, and what follows the first piece is waited for
                now = max(now, pieces[next].at) + BlockRhythm.settling
                count = 2
            }
            while next < pieces.count, pieces[next].at <= now {
                waiting.append(pieces[next])
                next += 1
            }
            if now >= start { looks.wakeUps += count }
            if rhythm.look(waiting.reduce(0) { $0 + $1.sound }, at: now) {
                if now >= start { looks.lags += waiting.map { now - $0.at } }
                waiting = []
            }
        }
        return looks
    }

    @Test(arguments: [Int64(5), 10, 20]) func aSteadyServersBlocksTakeLittleMoreThanOneWakeUpEach(block: Int64) {
        let looks = look(at: pieces(block: block))
        let blocks = Int(10_000 / block)
        #expect(looks.wakeUps < blocks * 5 / 4, "\(looks.wakeUps) for \(blocks) blocks")
        #expect((looks.lags.max() ?? 0) <= BlockRhythm.settling + 100_000, "each is found right after it came")
    }

    @Test func aClockThatIsOffKeepsItsRhythm() {
        for drift in [Int64(-500), 500] {  // nanoseconds a block: 100 ppm
            let looks = look(at: pieces { $0 * drift })
            #expect(looks.wakeUps < 2500, "\(looks.wakeUps)")
            #expect((looks.lags.max() ?? 0) <= BlockRhythm.settling + 100_000)
        }
    }

    @Test func afterALateBlockTheFollowingOnesAreFoundInTimeAgain() {
        let looks = look(at: pieces { $0 == 400 ? 3 * Self.millisecond : 0 }, from: 2_020 * Self.millisecond)
        #expect((looks.lags.max() ?? 0) <= BlockRhythm.settling + 100_000)
        #expect(looks.wakeUps < 2000)
    }

    @Test func blocksOfAnotherLengthAreFollowed() {
        var changed = pieces().filter { $0.at < 5000 * Self.millisecond }
        changed += pieces(block: 10).filter { $0.at > 5000 * Self.millisecond }
        let looks = look(at: changed, from: 5100 * Self.millisecond)
        #expect((looks.lags.max() ?? 0) <= BlockRhythm.settling + 100_000)
        #expect(looks.wakeUps < 700, "\(looks.wakeUps) for 490 blocks")
    }

    /// A rhythm of 5 ms that is known since 10 ms.
    private func known() -> BlockRhythm {
        var rhythm = BlockRhythm()
        for number in Int64(1)...2 { _ = rhythm.look(5 * Self.millisecond, at: number * 5 * Self.millisecond) }
        return rhythm
    }

    @Test func aServerWithoutARhythmIsWaitedForAtTheSocket() {
        var rhythm = BlockRhythm()
        for time in [Int64(7), 9, 25, 26, 60] {
            let isTaken = rhythm.look(5 * Self.millisecond, at: time * Self.millisecond)
            #expect(isTaken && rhythm.due == nil)
        }
    }

    @Test func aBlockThatIsNotAllThereIsLeftUntilItIs() {
        var rhythm = known()
        let due = 15 * Self.millisecond - BlockRhythm.creep
        #expect(rhythm.due == due)
        let early = rhythm.look(Self.millisecond, at: due - 1)
        #expect(!early && rhythm.due == due, "it is too early for it")
        let partly = rhythm.look(Self.millisecond, at: due)
        #expect(!partly && rhythm.due == nil)
        let whole = rhythm.look(5 * Self.millisecond, at: due + BlockRhythm.settling)
        #expect(whole && rhythm.due == nil)
        let next = rhythm.look(5 * Self.millisecond, at: due + BlockRhythm.settling + 5 * Self.millisecond)
        #expect(next && rhythm.due != nil)
    }

    @Test func severalBlocksAtOnceAfterAStopAreNoRhythm() {
        var rhythm = known()
        for (sound, time, isKnown) in [(Int64(15), Int64(25), false), (5, 30, false), (5, 35, true)] {
            let isTaken = rhythm.look(sound * Self.millisecond, at: time * Self.millisecond)
            #expect(isTaken && (rhythm.due != nil) == isKnown)
        }
    }

    @Test func nothingIsNoBlock() {
        var rhythm = BlockRhythm()
        for sound in [Int64(0), -1, .min] {
            let isTaken = rhythm.look(sound, at: 5)
            #expect(!isTaken && rhythm.due == nil)
        }
    }
}
