import AudioUnits
import Realtime

/// Keeps device events.
final class EventLog: Sendable {
    private let events = Lock<[DeviceEvent]>([])

    /// A copy of its own: that a shared array was let go of is told by its reference count, which ThreadSanitizer cannot see.
    var all: [DeviceEvent] { events.withLock { $0.map { $0 } } }

    func add(_ event: DeviceEvent) { events.withLock { $0.append(event) } }

    /// Waits until an event satisfies `matches`; false when none does within `seconds`.
    func wait(seconds: Double, for matches: (DeviceEvent) -> Bool) async -> Bool {
        for _ in 0..<Int(seconds * 50) {
            if all.contains(where: matches) { return true }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return all.contains(where: matches)
    }
}
