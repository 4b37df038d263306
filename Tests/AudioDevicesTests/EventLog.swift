import AudioUnits
import Realtime

/// Keeps device events.
final class EventLog: Sendable {
    private let events = Lock<[DeviceEvent]>([])

    /// A copy of its own: that a shared array was let go of is told by its reference count, which ThreadSanitizer cannot see.
    var all: [DeviceEvent] { events.withLock { $0.map { $0 } } }

    func add(_ event: DeviceEvent) { events.withLock { $0.append(event) } }

    /// Waits until an event satisfies `matches`; false when patience is over.
    func wait(for matches: (DeviceEvent) -> Bool) async -> Bool {
        await eventually { all.contains(where: matches) }
    }
}
