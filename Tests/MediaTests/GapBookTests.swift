import JitterBuffer
import Media
import Metrics
import RTP
import Realtime
import Testing

/// A stream as its device pulls it, in blocks of 5 ms.
private struct Listener {
    var book = GapBook()
    var now = HostTime(milliseconds: 1000)
    private var sound = JitterBufferStatistics()

    /// What is booked now, and what would be at the call's end.
    var booked: GapFigures { book.figures(isOver: false) }
    var all: GapFigures { book.figures(isOver: true) }

    /// Sound from packets; a little of it ends the gap before.
    mutating func hear(_ milliseconds: Double) {
        for _ in 0..<Int(milliseconds / 5) {
            now = now.advanced(byMilliseconds: 5)
            book.pulled(sound, at: now)
        }
    }

    /// A gap begins, and is concealed for so long: what is pulled has been made in blocks.
    mutating func miss(_ milliseconds: Double, inBlocksOf block: Double = 5) {
        sound.concealments += 1
        for turn in 0..<Int(milliseconds / 5) {
            now = now.advanced(byMilliseconds: 5)
            if (Double(turn) * 5).truncatingRemainder(dividingBy: block) == 0 {
                if Double(turn) * 5 < 60 {
                    sound.concealShortMs += block
                } else {
                    if sound.concealLongMs == 0 { sound.longConcealments += 1 }
                    sound.concealLongMs += block
                }
            }
            book.pulled(sound, at: now)
        }
    }

    /// What was taken for a pause turns out to be missing.
    mutating func find(_ milliseconds: Double) {
        now = now.advanced(byMilliseconds: 5)
        sound.concealments += 1
        sound.longConcealments += 1
        sound.concealShortMs += 60
        sound.concealLongMs += milliseconds - 60
        sound.concealedPauseMs += milliseconds
        book.pulled(sound, at: now)
    }

    /// A stop that ended `ago` milliseconds ago.
    func stop(_ milliseconds: Double, ago: Double = 0) -> MachineStop {
        MachineStop(end: now.advanced(byMilliseconds: -ago), microseconds: milliseconds * 1000)
    }
}

@Suite("Who caused a gap") struct GapBookTests {
    private typealias Told = DelayLedgerMessage.RecentStops.Stop

    @Test func withoutAWordOfTheSenderItIsTheNetwork() {
        var listener = Listener()
        listener.hear(100)
        listener.miss(20)
        #expect(listener.booked == GapFigures() && listener.all.network == GapSum(count: 1, milliseconds: 20))
        listener.hear(50)
        #expect(listener.booked == listener.all && listener.all.network == GapSum(count: 1, milliseconds: 20))
    }

    @Test func aGapRightAfterAStopOfOursIsThisMachines() {
        var listener = Listener()
        listener.hear(100)
        listener.book.note(listener.stop(60))
        listener.miss(40)
        listener.hear(50)
        #expect(listener.booked.machine == GapSum(count: 1, milliseconds: 40) && listener.booked.network == GapSum())
    }

    @Test("neither a stop that was shorter nor one that was at another time explains it", arguments: [(15.0, 0.0), (60, 30)])
    func otherStops(milliseconds: Double, ago: Double) {
        var listener = Listener()
        listener.hear(100)
        listener.book.note(listener.stop(milliseconds, ago: ago))
        listener.miss(20)
        listener.hear(50)
        #expect(listener.booked.network == GapSum(count: 1, milliseconds: 20) && listener.booked.machine == GapSum())
    }

    @Test func aPauseThatWasNoneIsAGapThatIsOverAndTheNetworks() {
        var listener = Listener()
        listener.hear(20_000)
        listener.find(20_000)
        listener.hear(50)
        #expect(listener.booked.network == GapSum(count: 1, long: 1, milliseconds: 20_000))
        listener.hear(100)
        listener.miss(20)
        listener.hear(50)
        #expect(listener.booked.network == GapSum(count: 2, long: 1, milliseconds: 20_020) && listener.booked == listener.all)
    }

    @Test func aPauseThatWasNoneIsThisMachinesThatStoodStillDuringIt() {
        var listener = Listener()
        listener.hear(1000)
        listener.book.note(listener.stop(500, ago: 100))
        listener.find(400)
        listener.hear(50)
        #expect(listener.booked.machine == GapSum(count: 1, long: 1, milliseconds: 400) && listener.booked.network == GapSum())
    }

    @Test func theSendersWordComesLaterAndBooksItOnce() {
        var listener = Listener()
        listener.book.told([], at: listener.now)
        listener.hear(1000)
        listener.miss(100)
        let stop = listener.stop(150)
        listener.hear(1000)
        #expect(listener.booked == GapFigures(), "it waits")
        #expect(listener.all.network == GapSum(count: 1, long: 1, milliseconds: 100))
        listener.book.told([stop], at: listener.now)
        #expect(listener.booked.sender == GapSum(count: 1, long: 1, milliseconds: 100) && listener.booked.network == GapSum())
        listener.hear(1000)
        listener.book.told([stop], at: listener.now)
        #expect(listener.booked == listener.all && listener.all.sender.count == 1)
    }

    @Test func aReportThatKnowsOfNoStopSettlesWhatItCouldKnow() {
        var listener = Listener()
        listener.book.told([], at: listener.now)
        listener.hear(100)
        listener.miss(20)
        listener.hear(50)
        listener.book.told([], at: listener.now)
        #expect(listener.booked == GapFigures(), "the report may have been made before the stop was noticed")
        listener.hear(500)
        listener.book.told([], at: listener.now)
        #expect(listener.booked.network == GapSum(count: 1, milliseconds: 20))
    }

    @Test func aReportThatComesBeforeTheGapIsOverIsRemembered() {
        var listener = Listener()
        listener.hear(100)
        listener.miss(50)
        listener.book.told([listener.stop(90)], at: listener.now)
        listener.hear(50)
        #expect(listener.booked.sender == GapSum(count: 1, milliseconds: 50))
    }

    @Test func aReportThatDoesNotComeIsNotWaitedForLongerThanTwoMayTake() {
        var listener = Listener()
        listener.book.told([], at: listener.now)
        listener.hear(100)
        listener.miss(20)
        listener.hear(GapBook.patience - 100)
        #expect(listener.booked == GapFigures())
        listener.hear(300)
        #expect(listener.booked.network == GapSum(count: 1, milliseconds: 20))
        // And from now on the sender is one that tells nothing.
        listener.miss(20)
        listener.hear(50)
        #expect(listener.booked.network == GapSum(count: 2, milliseconds: 40))
    }

    @Test func whatIsMadeInBlocksIsOneGapAndAnotherGapIsAnother() {
        var listener = Listener()
        listener.hear(100)
        listener.book.note(listener.stop(35))
        listener.miss(40, inBlocksOf: 10)
        listener.hear(50)
        #expect(listener.booked.network == GapSum(count: 1, milliseconds: 40), "it is longer than the stop as a whole")
        listener.miss(20)
        listener.miss(20)
        #expect(listener.booked.network.count == 2)
        listener.hear(50)
        #expect(listener.booked.network == GapSum(count: 3, milliseconds: 80))
    }

    @Test func ofTooManyThatWaitTheOldestIsTheNetworks() {
        var listener = Listener()
        listener.book.told([], at: listener.now)
        for _ in 0..<40 {
            listener.miss(20)
            listener.hear(50)
        }
        #expect(listener.booked.network.count == 40 - GapBook.mostWaiting && listener.all.network.count == 40)
        listener.book.told(Array(repeating: listener.stop(5000), count: 1000), at: listener.now)
        #expect(listener.booked.sender.count == GapBook.mostWaiting && listener.all.network.count == 40 - GapBook.mostWaiting)
    }

    @Test func aReportTellsOfTheStopsSinceTheOneBeforeAndListsTheLatest() {
        var tally = StopTally()
        let now = HostTime(milliseconds: 10_000)
        #expect(tally.take(at: now) == nil)
        for number in 1...20 {
            tally.note(
                MachineStop(end: HostTime(milliseconds: Double(100 * number)), microseconds: Double(number) * 1000 + 500))
        }
        let told = tally.take(at: now)
        #expect(told?.count == 20 && told?.longestMilliseconds == 21 && told?.totalMilliseconds == 220)
        #expect(told?.latest.count == DelayLedgerMessage.RecentStops.mostListed)
        #expect(told?.latest.first == Told(agoMilliseconds: 9500, milliseconds: 6))
        #expect(told?.latest.last == Told(agoMilliseconds: 8000, milliseconds: 21))
        #expect(tally.take(at: now) == nil && tally.totalMilliseconds == 220)
    }

    @Test func whatWasToldStandsOnOurClockByWhenTheReportCame() {
        let stop = MachineStop(Told(agoMilliseconds: 700, milliseconds: 21), arrival: HostTime(milliseconds: 5000))
        #expect(stop.begin == HostTime(milliseconds: 4279) && stop.end == HostTime(milliseconds: 4300))
        let early = MachineStop(Told(agoMilliseconds: 65_535, milliseconds: 65_535), arrival: .zero)
        #expect(early.end < .zero && early.milliseconds == 65_535)
    }
}
