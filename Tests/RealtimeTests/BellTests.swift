import Realtime
import Testing
import Threads

@Suite struct BellTests {
    @Test("Rings before the wait count as one, and end it at once")
    func countsAsOne() {
        let bell = Bell()
        for _ in 0..<5 { bell.ring() }
        #expect(bell.wait(until: .monotonicNow().advanced(byMilliseconds: 10_000)))
        #expect(!bell.wait(until: .monotonicNow()), "the rings were taken")
    }

    @Test("Nobody rings: the wait ends at its deadline, not before, and at once when that is past")
    func endsAtItsDeadline() {
        let bell = Bell()
        let deadline = HostTime.monotonicNow().advanced(byMilliseconds: 30)
        while !(HostTime.monotonicNow() >= deadline) { #expect(!bell.wait(until: deadline)) }
        #expect(!bell.wait(until: HostTime(nanoseconds: -5)))
        #expect(!bell.wait(until: .zero))
    }

    /// Threads that ring as fast as they can, and one that waits: it must see what each wrote before its last ring.
    @Test("A ring is never lost, however it falls together with the wait", .timeLimit(.minutes(20)))
    func noRingIsLost() throws {
        let rounds = 20_000
        let there = Bell()
        let back = Bell()
        struct Pair: @unchecked Sendable, ~Copyable {
            let there: Bell, back: Bell, rounds: Int
        }
        let echo = try RealtimeThread(name: "echo", owning: Pair(there: there, back: back, rounds: rounds)) { pair in
            for _ in 0..<pair.rounds {
                while !pair.there.wait(until: .monotonicNow().advanced(byMilliseconds: 30_000)) {}
                pair.back.ring()
            }
        }
        var lost = 0
        for _ in 0..<rounds {
            there.ring()
            if !back.wait(until: .monotonicNow().advanced(byMilliseconds: 20_000)) { lost += 1 }
        }
        echo.join()
        #expect(lost == 0)
    }
}
