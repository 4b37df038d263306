import AudioDevices
import Realtime
import Synchronization

/// The thread that carries recordings and dumps to disk, a few times a second.
final class SignalThread {
    /// How often it writes, in milliseconds: with the writer's own flushing well under the second that a SIGKILL may cost.
    static let intervalMilliseconds = 100.0

    private let worker: Worker
    private var thread: RealtimeThread?

    init(writers: [SignalWriter]) { worker = Worker(writers: writers) }

    /// Starts writing.
    func start() throws(RealtimeError) {
        thread = try RealtimeThread(name: "recorder", owning: worker) { $0.run() }
    }

    /// Writes the rest, closes the files and ends the thread.
    /// - Returns: the path and the reason of each file that ended before its time.
    func finish() -> [(path: String, reason: String)] {
        worker.isRunning.store(false, ordering: .releasing)
        if let running = thread.take() { running.join() }
        return worker.writers.compactMap { writer in writer.failure.map { (writer.path, $0.reason) } }
    }

    /// What the thread owns while it runs.
    private final class Worker: @unchecked Sendable {
        let writers: [SignalWriter]
        let isRunning = Atomic<Bool>(true)

        init(writers: [SignalWriter]) { self.writers = writers }

        func run() {
            var next = HostTime.monotonicNow()
            while isRunning.load(ordering: .acquiring) {
                for writer in writers { writer.drain() }
                next = next.advanced(byMilliseconds: SignalThread.intervalMilliseconds)
                next.sleepUntil()
            }
            for writer in writers { writer.finish() }
        }
    }
}
