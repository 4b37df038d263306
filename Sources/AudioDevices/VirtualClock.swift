import Realtime
import Synchronization
import Threads

/// The thread that moves a virtual device by the monotonic clock.
///
/// When the machine has stood still, so has the device's time: it makes up for it block by block, and lets whoever fills them keep up.
final class VirtualClock {
    /// SCHED_FIFO priority it runs at; `nil` is ordinary scheduling.
    let priority: Int?
    private let thread: RealtimeThreadBox
    private let shared: Shared
    private let core: VirtualCore

    /// An application that has nothing ready is waited for so long, in milliseconds.
    private static let patienceMilliseconds = 40.0
    /// `stop` waits this long for a callback, or a file, that hangs.
    private static let stopMilliseconds = 1000.0

    private final class Shared: Sendable {
        let wake: EventSignal
        let finished: EventSignal
        let stopping = Atomic<Bool>(false)

        init() throws(RealtimeError) { (wake, finished) = try EventSignal.pair() }

        deinit {
            wake.close()
            finished.close()
        }
    }

    private struct Loop: ~Copyable {
        let core: VirtualCore
        let shared: Shared

        mutating func run() {
            let milliseconds = Double(core.format.periodFrames) * 1000 / core.format.sampleRate
            var deadline = HostTime.monotonicNow().advanced(byMilliseconds: milliseconds)
            // Of those that make up for a stop only the first is late.
            var isFirst = true
            while !shared.stopping.load(ordering: .acquiring) {
                let now = HostTime.monotonicNow()
                let wait = deadline.milliseconds(since: now)
                if wait > 0 {
                    _ = ALSAEngine.wait(shared.wake, milliseconds: wait)
                    isFirst = true
                    continue
                }
                if -wait < VirtualClock.patienceMilliseconds, !core.isReady {
                    _ = ALSAEngine.wait(shared.wake, milliseconds: 0.5)
                    continue
                }
                if isFirst { core.beginTurn(lateBy: -wait, now: now) }
                core.step(now: deadline)
                if -wait > VirtualCore.latestMilliseconds {
                    core.leaveOut(milliseconds: -wait)
                    deadline = now
                }
                isFirst = false
                deadline = deadline.advanced(byMilliseconds: milliseconds)
            }
            shared.finished.signal()
        }
    }

    init(core: VirtualCore, priority: Int?) throws(RealtimeError) {
        let shared = try Shared()
        self.shared = shared
        self.core = core
        thread = RealtimeThreadBox(
            try RealtimeThread(
                name: "yodel-clock", policy: priority.map { .realtime(priority: $0) } ?? .normal,
                owning: Loop(core: core, shared: shared)
            ) { $0.run() },
            finished: shared.finished)
        self.priority = thread.priority
    }

    func stop() {
        core.isStopping.store(true, ordering: .releasing)
        shared.stopping.store(true, ordering: .releasing)
        shared.wake.signal()
        thread.end(milliseconds: Self.stopMilliseconds)
    }
}
