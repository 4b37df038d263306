import AudioUnits
import Glibc
import Synchronization

/// A sine, for graphs that need no file: frequency and level change without a click.
///
/// Sendable: its settings are atomics.
final class ToneGenerator: ProcessingUnit, @unchecked Sendable {
    private final class Settings: Sendable {
        let frequency = Atomic<UInt64>((440.0).bitPattern)
        /// Amplitude, a factor.
        let amplitude = Atomic<UInt64>((0.1).bitPattern)
    }

    private let settings = Settings()
    /// Of the output, in Hz.
    private let rate: Int

    init(rate: Int) throws(AudioUnitError) {
        self.rate = rate
        super.init(
            shape: UnitShape(
                component: AudioComponentDescription(type: "augn", subtype: "sine", manufacturer: "yodl"),
                inputElements: 0...0, formats: .source, outputChannels: 1...1))
        try setFormat(StreamFormat(sampleRate: Double(rate)), scope: .output, element: 0)
    }

    /// Frequency of the sine in Hz: 1 to 20,000, below half the rate.
    func setFrequency(_ hertz: Double) throws(AudioUnitError) {
        guard (1...20_000).contains(hertz), hertz * 2 < Double(rate) else {
            let most = rate > 40_000 ? "1 to 20000 Hz" : "1 Hz or more, below half the rate of \(rate) Hz"
            throw .outOfRange(setting: "frequency", allowed: most)
        }
        settings.frequency.store(hertz.bitPattern, ordering: .relaxed)
    }

    /// Level of the sine's peak, in dB of full scale.
    func setLevel(_ decibels: Double) throws(AudioUnitError) {
        guard (-120...0).contains(decibels) else { throw .outOfRange(setting: "level", allowed: "-120 to 0 dB") }
        settings.amplitude.store(pow(10, decibels / 20).bitPattern, ordering: .relaxed)
    }

    private struct Kernel: ~Copyable {
        let settings: Settings
        let rate: Double
        var phase = 0.0
        var amplitude: Double

        mutating func render(_ slice: RenderSlice) {
            let step = 2 * Double.pi * Double(bitPattern: settings.frequency.load(ordering: .relaxed)) / rate
            let goal = Double(bitPattern: settings.amplitude.load(ordering: .relaxed))
            for frame in 0..<slice.frames {
                amplitude += (goal - amplitude) * 0.005
                slice.buffer[frame] = Float(amplitude * sin(phase))
                phase += step
            }
            phase.formTruncatingRemainder(dividingBy: 2 * Double.pi)
        }
    }

    override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let kernel = Kernel(
            settings: settings, rate: layout.output.sampleRate,
            amplitude: Double(bitPattern: settings.amplitude.load(ordering: .relaxed)))
        return RenderKernel(kernel) { context, slice, _ in
            context.assumingMemoryBound(to: Kernel.self).pointee.render(
                slice.assumingMemoryBound(to: RenderSlice.self).pointee)
        }
    }
}
