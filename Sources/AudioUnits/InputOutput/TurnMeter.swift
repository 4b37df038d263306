import Realtime
import Synchronization

/// How long the render turns of one direction take, against the time they have. One render thread writes, any reads.
struct TurnMeter: ~Copyable {
    private let longestNanoseconds = Atomic<Int64>(0)
    private let periodNanoseconds = Atomic<Int64>(0)

    /// A turn that began at `start` is over.
    @_noLocks
    func end(startedAt start: HostTime) {
        let taken = HostTime.monotonicNow().nanoseconds &- start.nanoseconds
        // Load and store do for a maximum, because a direction has one thread.
        if taken > longestNanoseconds.load(ordering: .relaxed) { longestNanoseconds.store(taken, ordering: .relaxed) }
    }

    /// The device runs in that format from now on.
    func setPeriod(_ format: DeviceStreamFormat) {
        let period = Double(format.periodFrames) / format.sampleRate * 1e9
        periodNanoseconds.store(Int64(exactly: period.rounded()) ?? 0, ordering: .relaxed)
    }

    /// The longest turn since instantiation, in microseconds; nil before the first.
    var longest: Double? { Self.microseconds(longestNanoseconds) }

    /// The device's period, in microseconds; nil before the device was opened.
    var period: Double? { Self.microseconds(periodNanoseconds) }

    private static func microseconds(_ nanoseconds: borrowing Atomic<Int64>) -> Double? {
        let value = nanoseconds.load(ordering: .relaxed)
        return value > 0 ? Double(value) / 1000 : nil
    }
}
