import AudioDevices
import Realtime
import Synchronization

/// What the recorder's thread carries to disk: a recording, a dump, a capture.
protocol DiskWriter: AnyObject {
    /// The file.
    var path: String { get }
    /// Why the writing ended before its time; `nil` while it did not.
    var failureReason: String? { get }
    /// Writes what waits.
    func drain()
    /// Writes the rest and closes the file.
    func finish()
}

/// The thread that carries recordings, dumps and captures to disk, a few times a second.
final class SignalThread {
    /// How often it writes, in milliseconds: with the writer's own flushing well under the second that a SIGKILL may cost.
    static let intervalMilliseconds = 100.0

    private let worker: Worker
    private var thread: RealtimeThread?

    init(writers: [any DiskWriter]) { worker = Worker(writers: writers) }

    /// Starts writing.
    func start() throws(RealtimeError) {
        thread = try RealtimeThread(name: "recorder", owning: worker) { $0.run() }
    }

    /// Writes the rest, closes the files and ends the thread.
    /// - Returns: the path and the reason of each file that ended before its time.
    func finish() -> [(path: String, reason: String)] {
        worker.isRunning.store(false, ordering: .releasing)
        if let running = thread.take() { running.join() }
        return worker.writers.compactMap { writer in writer.failureReason.map { (writer.path, $0) } }
    }

    /// What the thread owns while it runs.
    private final class Worker: @unchecked Sendable {
        let writers: [any DiskWriter]
        let isRunning = Atomic<Bool>(true)

        init(writers: [any DiskWriter]) { self.writers = writers }

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
