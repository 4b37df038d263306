import AudioUnits
import CALSA

/// Stands in for a lost device: one period of silence each period of the host clock.
final class ALSAPacer {
    let samples: UnsafeMutablePointer<Float>
    private let count: Int
    private let periodNanoseconds: Int64
    /// When the next period is due.
    private(set) var deadline: Int64

    init(format: DeviceStreamFormat) {
        count = format.periodFrames * format.channels
        samples = .allocate(capacity: count)
        samples.initialize(repeating: 0, count: count)
        periodNanoseconds = Int64(Double(format.periodFrames) * 1e9 / format.sampleRate)
        deadline = calsa_now()
    }

    deinit { samples.deallocate() }

    /// Whether a period is due; the next one is a period later.
    func takePeriod() -> Bool {
        let now = calsa_now()
        guard now >= deadline else { return false }
        deadline = now - deadline > 200_000_000 ? now : deadline  // the machine slept: do not make it up
        deadline += periodNanoseconds
        return true
    }

    func clear() { samples.update(repeating: 0, count: count) }
}
