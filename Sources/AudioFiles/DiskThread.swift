public import Realtime
import Glibc
import Synchronization

/// What a disk thread serves: a recording, a dump, a capture, a player's reading ahead.
public protocol DiskClient: AnyObject {
    /// Does what there is to do; called several times a second.
    func drain()
    /// Does the rest and closes the file; the last call.
    func finish()
}

/// A thread that carries sound to and from disk a few times a second, so that no render thread has to.
public final class DiskThread {
    private let worker: Worker
    private let name: String
    private var thread: RealtimeThread?

    /// - `intervalMilliseconds`: how often it serves; with the writers' own flushing well under the second that a
    ///   SIGKILL may cost.
    public init(name: String, clients: [any DiskClient], intervalMilliseconds: Double = 100) {
        self.name = name
        worker = Worker(clients: clients, interval: Int32(intervalMilliseconds))
    }

    /// Starts serving.
    public func start() throws(RealtimeError) {
        worker.wakeup = try EventSignal()
        thread = try RealtimeThread(name: name, owning: worker) { $0.run() }
    }

    /// Has every client finish and ends the thread; not from a client.
    public func finish() {
        worker.isRunning.store(false, ordering: .releasing)
        worker.wakeup?.signal()
        if let running = thread.take() { running.join() }
        worker.wakeup?.close()
        worker.wakeup = nil
    }

    /// What the thread owns while it runs.
    private final class Worker: @unchecked Sendable {
        let clients: [any DiskClient]
        let interval: Int32
        let isRunning = Atomic<Bool>(true)
        /// Set before the thread starts and taken away after it has ended.
        var wakeup: EventSignal?

        init(clients: [any DiskClient], interval: Int32) {
            self.clients = clients
            self.interval = interval
        }

        func run() {
            while isRunning.load(ordering: .acquiring) {
                for client in clients { client.drain() }
                var descriptor = pollfd(fd: wakeup?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
                poll(&descriptor, 1, interval)
            }
            for client in clients { client.finish() }
        }
    }
}
