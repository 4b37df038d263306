import DSP
import Synchronization

/// What a meter shows of one channel over the last whole 100 ms.
public struct MeterLevel: Sendable, Equatable {
    /// Root mean square, in dB of full scale (a full-scale sine has -3.01); -120 or more.
    public var average: Double
    /// Largest magnitude, in dB of full scale; -120 or more.
    public var peak: Double

    /// The least that is shown.
    public static let floor = -120.0
    /// Silence.
    public static let silence = MeterLevel(average: floor, peak: floor)

    public init(average: Double, peak: Double) {
        self.average = average
        self.peak = peak
    }

    /// `power` and `peak` as parts of full scale.
    init(power: Float, peak: Float) {
        average = power > 1e-12 ? Double(FastMath.decibels(power: power)) : Self.floor
        self.peak = peak > 1e-6 ? Double(2 * FastMath.decibels(power: peak)) : Self.floor
    }
}

/// A level that the render thread publishes and any thread reads.
struct LevelReading: ~Copyable {
    private let bits = Atomic<UInt64>(0)

    @_noLocks
    func store(power: Float, peak: Float) {
        bits.store(UInt64(power.bitPattern) << 32 | UInt64(peak.bitPattern), ordering: .relaxed)
    }

    var level: MeterLevel {
        let value = bits.load(ordering: .relaxed)
        return MeterLevel(
            power: Float(bitPattern: UInt32(truncatingIfNeeded: value >> 32)),
            peak: Float(bitPattern: UInt32(truncatingIfNeeded: value)))
    }
}

/// Sums up one channel over windows of exactly 100 ms, wherever slices end.
struct LevelWindow: BitwiseCopyable {
    private var power: Float = 0
    private var peak: Float = 0

    @_noLocks
    init() {}

    /// Adds the power and peak of some frames of the window.
    @_noLocks @inline(__always)
    mutating func add(power more: Float, peak highest: Float) {
        power += more
        if highest > peak { peak = highest }
    }

    /// The window is over: publishes it and begins the next.
    @_noLocks
    mutating func end(frames: Int, into reading: borrowing LevelReading) {
        // What is not a number must not stay in the meter; the next window is another.
        let mean = power / Float(frames)
        reading.store(power: mean < .infinity ? mean : 0, peak: peak)
        power = 0
        peak = 0
    }
}
