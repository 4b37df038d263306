import CAudit
import Glibc
import Realtime
import Synchronization
import Testing
import Threads

@Suite struct RealtimeThreadTests {
    /// What a thread found out about itself.
    final class Finding: Sendable {
        let policy = Atomic<Int32>(-1)
        let priority = Atomic<Int32>(-1)
        let name = Lock("")
        let ended = Atomic(false)

        func look() {
            var policy: Int32 = -1
            var parameters = sched_param()
            pthread_getschedparam(pthread_self(), &policy, &parameters)
            self.policy.store(policy, ordering: .releasing)
            priority.store(parameters.sched_priority, ordering: .releasing)
            var bytes = [UInt8](repeating: 0, count: 32)
            let file = open("/proc/thread-self/comm", O_RDONLY)
            let count = read(file, &bytes, bytes.count)
            close(file)
            // The kernel ends the name with a line feed.
            name.withLock { $0 = String(decoding: bytes[..<max(0, count - 1)], as: UTF8.self) }
        }
    }

    /// Counts how often it is torn down.
    struct Owned: ~Copyable {
        let finding: Finding

        deinit { finding.ended.store(true, ordering: .releasing) }
    }

    @Test("The report says what the system granted, whichever that is", arguments: [-3, 1, 10, 99, 1000])
    func reportIsTrue(priority: Int) throws {
        let finding = Finding()
        let thread = try RealtimeThread(
            name: "policy", policy: .realtime(priority: priority), owning: Owned(finding: finding)
        ) { $0.finding.look() }
        let granted = thread.granted
        thread.join()
        switch granted {
        case .normal:
            #expect(finding.policy.load(ordering: .acquiring) == SCHED_OTHER)
        case .realtime(let got):
            #expect(got == min(max(priority, 1), 99))
            #expect(finding.policy.load(ordering: .acquiring) == SCHED_FIFO)
            #expect(finding.priority.load(ordering: .acquiring) == Int32(got))
        }
    }

    /// Makes a real-time thread from a thread that has lost the right to.
    struct Unprivileged: ~Copyable {
        let outcome: Outcome

        mutating func run() {
            guard audit_drop_realtime_right() else { return outcome.applicable.store(false, ordering: .releasing) }
            do {
                let thread = try RealtimeThread(
                    name: "refused", policy: .realtime(priority: 20), owning: Owned(finding: outcome.finding)
                ) { $0.finding.look() }
                outcome.fellBack.store(thread.granted == .normal, ordering: .releasing)
                thread.join()
            } catch {}
        }
    }

    final class Outcome: Sendable {
        let applicable = Atomic(true)
        let fellBack = Atomic(false)
        let finding = Finding()
    }

    @Test("Without the right to real time a thread runs all the same, at ordinary scheduling, and says so")
    func fallsBack() throws {
        let outcome = Outcome()
        try RealtimeThread(name: "unprivileged", owning: Unprivileged(outcome: outcome)) { $0.run() }.join()
        // A system that grants real time to everybody has nothing to fall back from.
        guard outcome.applicable.load(ordering: .acquiring) else { return }
        #expect(outcome.fellBack.load(ordering: .acquiring) == true)
        #expect(outcome.finding.policy.load(ordering: .acquiring) == SCHED_OTHER)
        #expect(outcome.finding.ended.load(ordering: .acquiring) == true)
    }

    @Test("A thread has its name, of which 15 bytes count, and gives its state up at its end")
    func namesAndReleases() throws {
        let finding = Finding()
        let state = Owned(finding: finding)
        try RealtimeThread(name: "a-name-that-is-too-long", owning: state) { $0.finding.look() }.join()
        #expect(finding.name.withLock { $0 } == "a-name-that-is-")
        #expect(finding.policy.load(ordering: .acquiring) == SCHED_OTHER)
        #expect(finding.ended.load(ordering: .acquiring) == true)
    }

    @Test("A thread that cannot be had is a typed error and its state is given up")
    func refusedThread() {
        let finding = Finding()
        do {
            let thread = try RealtimeThread(
                name: "huge", stackBytes: 1 << 46, owning: Owned(finding: finding)
            ) { $0.finding.look() }
            thread.join()
            Issue.record("got a stack of 64 TiB")
        } catch {
            guard case .noThread(let name, let code) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(name == "huge" && code != 0)
        }
        #expect(finding.ended.load(ordering: .acquiring) == true)
        #expect(finding.policy.load(ordering: .acquiring) == -1)
    }

    @Test("Sleeping ends at the time, not before, and at once for a time that has passed")
    func sleepsUntil() {
        let start = HostTime.monotonicNow()
        start.advanced(byMilliseconds: 5).sleepUntil()
        #expect(HostTime.monotonicNow().milliseconds(since: start) >= 5)
        HostTime(nanoseconds: 1).sleepUntil()
    }
}
