import Media
import Realtime
import Testing

@Suite("How a loop of many calls keeps up") struct LoopLoadTests {
    /// Turns of 5 ms for so many milliseconds, each with 1 ms of work that begins so late.
    private func run(_ load: inout LoopLoad, milliseconds: Double, late: Double) {
        for turn in 0..<Int(milliseconds / 5) {
            let due = HostTime(milliseconds: Double(turn) * 5)
            let began = due.advanced(byMilliseconds: late)
            let ended = began.advanced(byMilliseconds: 1)
            load.noteTurn(dueAt: due, endedAt: ended)
            _ = load.noteWork(dueAt: due, from: began, to: ended, calls: 100)
        }
    }

    @Test("time in which work waits for its core, which others have, is not there for more calls")
    func waits() {
        var (alone, beside) = (LoopLoad(), LoopLoad())
        run(&alone, milliseconds: 2000, late: 0.1)
        run(&beside, milliseconds: 2000, late: 3.8)
        #expect(alone.admits && abs(alone.takeFigures().load - 0.22) < 0.02)
        #expect(!beside.admits && abs(beside.takeFigures().load - 0.96) < 0.02)
    }

    @Test("work that lasts longer than its turn is counted once")
    func overruns() {
        var load = LoopLoad()
        for turn in 0..<200 {
            let began = HostTime(milliseconds: Double(turn) * 10)
            // Every second one was due while the one before was still at work.
            let due = turn % 2 == 0 ? began.advanced(byMilliseconds: -10) : nil
            _ = load.noteWork(dueAt: due, from: began, to: began.advanced(byMilliseconds: 5), calls: 10)
        }
        #expect(abs(load.takeFigures().load - 0.75) < 0.06)
    }

    @Test("what comes while nothing is due is work from when it came")
    func nothingDue() {
        var load = LoopLoad()
        for turn in 0..<200 {
            let came = HostTime(milliseconds: Double(turn) * 10)
            _ = load.noteWork(dueAt: nil, from: came, to: came.advanced(byMilliseconds: 1), calls: 0)
        }
        #expect(load.admits && abs(load.takeFigures().load - 0.1) < 0.02)
    }
}
