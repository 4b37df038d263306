import Glibc
import Realtime
import Softphone
import Synchronization
import Threads

/// A load that runs on a thread of its own, and what its owner sees of it.
///
/// Sendable: reports are behind a lock, `isOver` publishes the results, and the thread is the owner's.
final class LoadThread: @unchecked Sendable {
    private let reports = Lock<[LoadCallReport]>([])
    private let signal: EventSignal
    private let isEnding = Atomic<Bool>(false)
    private let isOver = Atomic<Bool>(false)
    private let active = Atomic<Int>(0)
    // Written by the thread before `isOver`, read by the owner after it.
    private nonisolated(unsafe) var finished: LoadResults?
    private var thread: RealtimeThread?

    /// Starts making calls.
    /// - Parameter priority: real-time priority that is asked for; `nil`: none.
    init(_ runner: LoadRunner, priority: Int?) throws(SoftphoneError) {
        do {
            signal = try EventSignal()
            thread = try RealtimeThread(
                name: "load", policy: priority.map { .realtime(priority: $0) } ?? .normal,
                owning: Work(runner: runner, owner: self)
            ) { $0.run() }
        } catch {
            throw .resources("\(error)")
        }
    }

    deinit { signal.close() }

    /// Sendable: it cannot be copied and is handed to its thread, which alone has the runner from then on.
    private struct Work: ~Copyable, @unchecked Sendable {
        var runner: LoadRunner
        let owner: LoadThread

        mutating func run() { owner.run(&runner) }
    }

    private func run(_ runner: inout LoadRunner) {
        let began = HostTime.monotonicNow()
        var isTold = false
        while !runner.isOver {
            if isEnding.load(ordering: .acquiring), !isTold {
                runner.end()
                isTold = true
            }
            let new = runner.run(milliseconds: 100)
            active.store(runner.active, ordering: .relaxed)
            guard !new.isEmpty else { continue }
            reports.withLock { $0 += new }
            signal.signal()
        }
        var results = runner.results
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        let seconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        results.processorShare = seconds * 1000 / max(1, HostTime.monotonicNow().milliseconds(since: began))
        finished = results
        isOver.store(true, ordering: .releasing)
        signal.signal()
    }

    /// Readable while reports wait, and at the end.
    var descriptor: Int32 { signal.fileDescriptor }
    /// Calls that run now.
    var callsNow: Int { active.load(ordering: .relaxed) }

    /// Has every call end, and makes no more.
    func end() { isEnding.store(true, ordering: .releasing) }

    /// Calls that have ended since the last time.
    func takeReports() -> [LoadCallReport] {
        signal.drain()
        return reports.withLock { waiting in
            defer { waiting.removeAll(keepingCapacity: true) }
            return waiting
        }
    }

    /// What all measured; `nil` while calls run.
    func results() -> LoadResults? {
        guard isOver.load(ordering: .acquiring) else { return nil }
        if let running = thread.take() { running.join() }
        return finished
    }
}
