import Realtime
import Synchronization

/// Says in time that the service has not come to a standstill: the thread that owns it goes round, and the one that answers requests
/// has done what it was given the last time.
struct Watchdog {
    private let manager: ServiceManager
    /// Half of what the manager waits for, so that one delay is no death.
    private let intervalMilliseconds: Double?
    private let answer = Answer()
    /// When to look again; `nil`: never.
    private(set) var due: HostTime?

    init(_ manager: ServiceManager, now: HostTime) {
        self.manager = manager
        intervalMilliseconds = manager.watchdogMilliseconds.map { $0 / 2 }
        due = intervalMilliseconds == nil ? nil : now
    }

    /// - Parameter ask: has the other thread run what it is given; must not wait for it.
    mutating func look(now: HostTime, ask: (@escaping @Sendable () -> Void) -> Void) {
        guard let due, let intervalMilliseconds, now >= due else { return }
        self.due = now.advanced(byMilliseconds: intervalMilliseconds)
        guard answer.isThere.exchange(false, ordering: .acquiringAndReleasing) else { return }
        manager.tell(.alive)
        ask { [answer] in answer.isThere.store(true, ordering: .releasing) }
    }
}

/// What one thread leaves for another.
private final class Answer: Sendable {
    let isThere = Atomic(true)
}
