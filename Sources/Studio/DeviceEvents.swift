import AudioDevices
import AudioUnits
import Realtime

/// Events of a device, from its threads to the main one.
final class DeviceEvents: Sendable {
    private let waiting = Lock<[DeviceEvent]>([])

    func add(_ event: DeviceEvent) { waiting.withLock { $0.append(event) } }

    func take() -> [DeviceEvent] {
        waiting.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
