import Glibc
import Synchronization

/// Plays what feeds it faster or slower, pitch going with the speed, as a tape does.
///
/// The speed may change at any time; the waveform goes on without a gap. At speed 1 the sound passes unchanged.
///
/// Sendable: the speed is an atomic.
public final class Varispeed: ProcessingUnit, @unchecked Sendable {
    /// Speeds there are.
    public static let rates = 0.25...4.0

    private let speed = AtomicDouble(1)

    public init() { super.init(shape: UnitShape(component: .varispeed)) }

    /// Seconds of the source that a second plays; 1 by default.
    public var rate: Double { speed.value }

    /// Sets the speed, 0.25 ... 4.
    public func setRate(_ rate: Double) throws(AudioUnitError) {
        guard Self.rates.contains(rate) else { throw .outOfRange(setting: "rate", allowed: "0.25 to 4") }
        speed.store(rate)
    }

    /// How much higher the speed makes everything, in cents (1200 an octave).
    public var cents: Double { 1200 * log2(rate) }

    private struct Kernel: ~Copyable {
        let speed: AtomicDouble
        let place: UnsafeMutablePointer<Atomic<UInt64>>
        var reader: SpeedReader

        @_noLocks
        mutating func render(_ slice: RenderSlice, _ inputs: UnitInputs) {
            reader.read(
                into: slice.buffer, stride: slice.channelByteStride / MemoryLayout<Float>.stride, frames: slice.frames,
                speed: Double(bitPattern: place.pointee.load(ordering: .relaxed))
            ) { target, stride, frames in
                _ = inputs.pull(0, into: target, channelStride: stride, frames: frames, time: slice.time)
            }
        }
    }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let kernel = Kernel(
            speed: speed, place: speed.place,
            reader: SpeedReader(channels: layout.output.channels, maximumFrames: layout.maximumFrames))
        return RenderKernel(kernel) { context, slice, inputs in
            context.assumingMemoryBound(to: Kernel.self).pointee.render(
                slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }
}
