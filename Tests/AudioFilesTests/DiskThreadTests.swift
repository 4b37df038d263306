import AudioFiles
import Dispatch
import Synchronization
import Testing

@Suite("A disk thread") struct DiskThreadTests {
    /// Ends the thread that serves it, from there.
    private final class Leaver: DiskClient {
        var thread: DiskThread?
        let mayEnd = Atomic<Bool>(false)
        /// What ending it has said.
        let finished = Atomic<Int>(-1)
        let end = DispatchSemaphore(value: 0)

        func drain() {
            guard mayEnd.load(ordering: .acquiring), let thread else { return }
            finished.store(thread.finish(), ordering: .releasing)
        }

        func finish() { end.signal() }
    }

    @Test("that one of its clients ends does not wait for itself: the clients finish after that")
    func endedByItsClient() throws {
        let leaver = Leaver()
        let thread = DiskThread(name: "disk-test", clients: [leaver], intervalMilliseconds: 1)
        try thread.start()
        leaver.thread = thread
        leaver.mayEnd.store(true, ordering: .releasing)
        #expect(leaver.end.wait(timeout: .now() + 60) == .success)
        #expect(leaver.finished.load(ordering: .acquiring) == 0)
        leaver.thread = nil
    }
}
