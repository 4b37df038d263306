import AudioUnits
import CALSA
import Realtime

/// Stands in for a lost device: one period of silence each period of the host clock.
final class ALSAPacer {
    let samples: UnsafeMutablePointer<Float>
    private let count: Int
    private let wake: EventSignal
    private let periodNanoseconds: Int64
    private var deadline: Int64

    init(format: DeviceStreamFormat, wake: EventSignal) {
        count = format.periodFrames * format.channels
        samples = .allocate(capacity: count)
        samples.initialize(repeating: 0, count: count)
        self.wake = wake
        periodNanoseconds = Int64(Double(format.periodFrames) * 1e9 / format.sampleRate)
        deadline = calsa_now()
    }

    deinit { samples.deallocate() }

    /// Waits for the next period; false when the line wants attention instead (and not yet a period).
    func waitForPeriod() -> Bool {
        let now = calsa_now()
        if now >= deadline {
            deadline = now - deadline > 200_000_000 ? now : deadline  // the machine slept: do not make it up
            deadline += periodNanoseconds
            return true
        }
        var descriptor = pollfd(fd: wake.fileDescriptor, events: Int16(POLLIN), revents: 0)
        if calsa_poll(&descriptor, 1, deadline - now) > 0 { wake.drain() }
        return false
    }

    func clear() { samples.update(repeating: 0, count: count) }
}
