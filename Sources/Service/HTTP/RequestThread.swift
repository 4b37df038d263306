import Dispatch

/// Where a request is answered. What it looks at may keep it waiting, as a call does whose device does not open: it waits on a thread of
/// its own, since Swift's tasks have no more threads together than the machine has processors.
final class RequestThread: TaskExecutor {
    private let queue = DispatchQueue(label: "request")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs something that may wait.
    static func run<Result: Sendable>(_ body: @Sendable () -> Result) async -> Result {
        await withTaskExecutorPreference(RequestThread()) { body() }
    }
}
