import LiveMedia
import Realtime
import Testing

@Suite("What makes a thread of many calls late") struct LoopWorkTests {
    private func at(_ milliseconds: Double) -> HostTime { HostTime(milliseconds: milliseconds) }

    /// After a round that began at 0 and took so many milliseconds of its core.
    private func work(milliseconds: Double) -> LoopWork {
        var work = LoopWork()
        work.begin(at: .zero, processorSeconds: 1)
        work.end(processorSeconds: 1 + milliseconds / 1000)
        return work
    }

    @Test("the machine, when it was waited for")
    func waiting() {
        let work = work(milliseconds: 1)
        #expect(work.lateness(of: at(5), at: at(17)) == 12)
        #expect(work.lateness(of: at(5), at: at(5)) == 0)
    }

    @Test("its own work, which is not told as the machine's")
    func working() {
        let work = work(milliseconds: 16)
        for due in [5.0, 10, 15] { #expect(work.lateness(of: at(due), at: at(16)) < 0.001) }
        #expect(work.lateness(of: at(20), at: at(20.5)) == 0.5)
    }

    @Test("the machine, when it took the core away in the midst of work")
    func interrupted() {
        let work = work(milliseconds: 4)
        #expect(work.lateness(of: at(5), at: at(16)) == 11)
        #expect(abs(work.lateness(of: at(0), at: at(16)) - 12) < 0.001)
    }
}
