import AudioUnits
import CALSA
import Realtime
import Synchronization

/// What runs between `start` and `stop`: the lines of the directions, shared by their threads and the supervisor.
///
/// Everything is kept alive by the threads themselves: a thread that hangs inside alsa-lib because the sound server
/// does is abandoned by `stop`, and frees its part whenever it wakes.
///
/// Sendable: all fields are constants or atomics, and so are those of the lines.
final class ALSAEngine: @unchecked Sendable {
    /// Name, line and request of a direction.
    struct Direction {
        let name: String
        let line: UnsafeMutablePointer<ALSALine>
    }

    let capture: Direction?
    let playback: Direction?
    let request: DeviceRequest
    /// Wakes the supervisor.
    let report: EventSignal
    let supervisorFinished: EventSignal
    let handler: (@Sendable (DeviceEvent) -> Void)?
    let stopping = Atomic<Bool>(false)
    /// A lost device may be there again.
    let retryNow = Atomic<Bool>(false)
    let isPresent = Atomic<Bool>(true)
    let reopened = Atomic<Int>(0)

    init(
        capture: String?, playback: String?, request: DeviceRequest, handler: (@Sendable (DeviceEvent) -> Void)?
    ) throws(RealtimeError) {
        let (report, finished) = try EventSignal.pair()
        var parts = Parts(signals: [report, finished])
        do {
            self.capture = try parts.direction(capture, isCapture: true, report: report)
            self.playback = try parts.direction(playback, isCapture: false, report: report)
        } catch {
            // Who has no descriptor left must not lose those that there were.
            parts.dispose()
            throw error
        }
        self.report = report
        supervisorFinished = finished
        self.request = request
        self.handler = handler
    }

    deinit { Parts(signals: [report, supervisorFinished], directions: directions).dispose() }

    /// What an engine is made of, and gives back.
    private struct Parts {
        let signals: [EventSignal]
        var directions: [Direction] = []

        mutating func direction(_ name: String?, isCapture: Bool, report: EventSignal) throws(RealtimeError) -> Direction? {
            guard let name else { return nil }
            let line = try ALSALine(isCapture: isCapture, report: report)
            let place = UnsafeMutablePointer<ALSALine>.allocate(capacity: 1)
            place.initialize(to: line)
            let direction = Direction(name: name, line: place)
            directions.append(direction)
            return direction
        }

        func dispose() {
            for direction in directions {
                direction.line.pointee.dispose()
                direction.line.deinitialize(count: 1)
                direction.line.deallocate()
            }
            for signal in signals { signal.close() }
        }
    }

    var directions: [Direction] { [capture, playback].compactMap { $0 } }

    /// Waits until `signal` is readable, or `milliseconds` are over (false).
    static func wait(_ signal: EventSignal, milliseconds: Double) -> Bool {
        var descriptor = pollfd(fd: signal.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return calsa_poll(&descriptor, 1, Int64(milliseconds * 1e6)) > 0
    }
}
