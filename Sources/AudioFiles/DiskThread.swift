public import Realtime
import Glibc
import Synchronization
import Threads

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
        do {
            try worker.open()
            thread = try RealtimeThread(name: name, owning: worker) { $0.run() }
        } catch {
            // Where descriptors are short, none may be kept.
            worker.close()
            throw error
        }
    }

    /// Has every client finish and ends the thread. A client's own call does not wait: all finish after the present turn.
    ///
    /// - withinMilliseconds: waits no longer for a disk that hangs, and leaves the thread behind with its clients; nil waits.
    /// - Returns: how many clients have finished, in their order; all, unless it leaves the thread behind. Where no thread
    ///   runs, all as well: not started, or asked again.
    @discardableResult
    public func finish(withinMilliseconds limit: Double? = nil) -> Int {
        worker.isRunning.store(false, ordering: .releasing)
        guard let running = thread.take() else { return worker.clients.count }
        worker.wakeup?.signal()
        if worker.isCurrent {
            // It cannot wait for itself, and nobody else is there to close the signals.
            worker.closesItself = true
            return worker.finished.load(ordering: .acquiring)  // letting go of the thread detaches it
        }
        if let limit, !worker.waitForEnd(milliseconds: limit) {
            return worker.finished.load(ordering: .acquiring)  // letting go of the thread detaches it
        }
        running.join()
        worker.close()
        return worker.clients.count
    }

    /// What the thread owns while it runs.
    ///
    /// Sendable: the thread alone calls the clients, the flags are atomic or its own, and the signals change only while it does
    /// not run, or at its end.
    private final class Worker: @unchecked Sendable {
        let clients: [any DiskClient]
        let interval: Int32
        let isRunning = Atomic<Bool>(true)
        /// Clients that have finished.
        let finished = Atomic<Int>(0)
        /// The thread's number once it runs.
        private let runner = Atomic<UInt>(0)
        /// Whether the thread takes the signals away at its end; the thread alone looks.
        var closesItself = false
        /// Set before the thread starts and taken away after it has ended.
        private(set) var wakeup: EventSignal?
        private var ended: EventSignal?

        init(clients: [any DiskClient], interval: Int32) {
            self.clients = clients
            self.interval = interval
        }

        func open() throws(RealtimeError) {
            let signals = try EventSignal.pair()
            (wakeup, ended) = (signals.0, signals.1)
        }

        func close() {
            wakeup?.close()
            ended?.close()
            wakeup = nil
            ended = nil
        }

        /// Whether the thread itself asks.
        var isCurrent: Bool { runner.load(ordering: .relaxed) == UInt(pthread_self()) }

        func waitForEnd(milliseconds: Double) -> Bool {
            guard let ended else { return true }
            let deadline = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
            while true {
                let rest = deadline.milliseconds(since: .monotonicNow())
                var descriptor = pollfd(fd: ended.fileDescriptor, events: Int16(POLLIN), revents: 0)
                let count = poll(&descriptor, 1, Int32(max(0, min(rest, 1e6)).rounded(.up)))
                if count > 0 { return true }
                if rest <= 0 { return false }
            }
        }

        func run() {
            runner.store(UInt(pthread_self()), ordering: .relaxed)
            while isRunning.load(ordering: .acquiring) {
                for client in clients { client.drain() }
                var descriptor = pollfd(fd: wakeup?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
                poll(&descriptor, 1, interval)
            }
            for client in clients {
                client.finish()
                finished.wrappingAdd(1, ordering: .releasing)
            }
            ended?.signal()
            if closesItself { close() }
        }
    }
}
