import Glibc

/// Plays what feeds it faster or slower at the same pitch, or higher or lower at the same speed, or both.
///
/// WSOLA (`TimeStretcher`) for the time, and reading its output at another speed for the pitch. With rate 1 and no pitch
/// shift the sound passes unchanged. Both may change at any time; a new rate is in force with the next 20 ms.
///
/// Sendable: speed and pitch are atomics.
public final class TimePitch: ProcessingUnit, @unchecked Sendable {
    /// Speeds there are.
    public static let rates = SpeedAndPitch.rates
    /// Pitch shifts there are, in cents.
    public static let pitches = SpeedAndPitch.pitches

    private let time = SpeedAndPitch()

    public init() { super.init(shape: UnitShape(component: .timePitch)) }

    /// Seconds of the source that a second plays; 1 by default.
    public var rate: Double { time.rate.value }

    /// Sets the speed, 0.25 ... 4.
    public func setRate(_ rate: Double) throws(AudioUnitError) { try time.setRate(rate) }

    /// How much higher the sound is, in cents (1200 an octave); 0 by default.
    public var pitch: Double { time.shift.value }

    /// Sets the pitch shift, -2400 ... 2400 cents.
    public func setPitch(_ cents: Double) throws(AudioUnitError) { try time.setPitch(cents) }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        RenderKernel(TimePitchKernel(layout, speed: time.rate, factor: time.factor)) { context, slice, inputs in
            context.assumingMemoryBound(to: TimePitchKernel.self).pointee.render(
                slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }
}
