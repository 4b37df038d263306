import Realtime

/// An equalizer: factory presets and up to 16 bands of one's own, changed at any time without a click.
///
/// Bands are second-order sections (R. Bristow-Johnson's cookbook) in a row, in double precision; one delay-free path.
/// A change is reached over 50 ms. It begins flat.
///
/// Sendable: its settings are behind a lock and reach the kernel by a triple buffer.
public final class Equalizer: ProcessingUnit, @unchecked Sendable {
    /// The most bands there may be.
    public static let mostBands = EqualizerCurve.capacity
    /// Overall gains that can be set, in dB.
    public static let overallGains = -24.0...24.0

    private struct Control: ~Copyable {
        var overallGain = 0.0
        var bands: [EqualizerBand] = []
        var preset: EqualizerPreset? = EqualizerPreset.all[0]
        var sampleRate = 48_000.0
        var number = 0
        var writer: TripleBufferWriter<EqualizerCurve>?

        var curve: EqualizerCurve {
            EqualizerCurve(overallGain: overallGain, bands: bands, sampleRate: sampleRate, number: number)
        }

        mutating func publish() {
            number += 1
            let curve = self.curve
            writer?.publish(curve)
        }
    }

    private let control = Lock(Control())

    public init() { super.init(shape: UnitShape(component: .equalizer)) }

    /// The preset in force; nil when own bands are.
    public var preset: EqualizerPreset? { control.withLock { $0.preset } }

    /// Takes a factory preset.
    public func setPreset(_ preset: EqualizerPreset) {
        control.withLock {
            $0.preset = preset
            $0.bands = preset.bands
            $0.overallGain = preset.overallGain
            $0.publish()
        }
    }

    /// Takes the factory preset with that number.
    public func setPreset(number: Int) throws(AudioUnitError) {
        guard EqualizerPreset.all.indices.contains(number) else {
            throw .outOfRange(setting: "preset", allowed: "0 to \(EqualizerPreset.all.count - 1)")
        }
        setPreset(EqualizerPreset.all[number])
    }

    /// Takes the factory preset with that name; case does not matter.
    public func setPreset(named name: String) throws(AudioUnitError) {
        guard let preset = EqualizerPreset.named(name) else {
            throw .outOfRange(
                setting: "preset", allowed: EqualizerPreset.all.map(\.name).joined(separator: ", "))
        }
        setPreset(preset)
    }

    /// The bands in force, the preset's or one's own.
    public var bands: [EqualizerBand] { control.withLock { $0.bands } }

    /// Takes own bands in place of those there are.
    public func setBands(_ bands: [EqualizerBand]) throws(AudioUnitError) {
        guard bands.count <= Self.mostBands else {
            throw .outOfRange(setting: "bands", allowed: "0 to \(Self.mostBands)")
        }
        for band in bands { try band.validate() }
        control.withLock {
            $0.preset = nil
            $0.bands = bands
            $0.publish()
        }
    }

    /// Gain over everything, in dB.
    public var overallGain: Double { control.withLock { $0.overallGain } }

    /// Sets the gain over everything, -24 ... 24 dB.
    public func setOverallGain(_ gain: Double) throws(AudioUnitError) {
        guard Self.overallGains.contains(gain) else {
            throw .outOfRange(setting: "overall gain", allowed: "-24 to 24 dB")
        }
        control.withLock {
            $0.preset = nil
            $0.overallGain = gain
            $0.publish()
        }
    }

    /// The designed response at a frequency, in dB, at the rate of the present format.
    public func response(at frequency: Double) throws(AudioUnitError) -> Double {
        let rate = try format(scope: .output, element: 0).sampleRate
        return control.withLock {
            EqualizerCurve(overallGain: $0.overallGain, bands: $0.bands, sampleRate: rate, number: 0)
                .decibels(at: frequency, sampleRate: rate)
        }
    }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        control.withLock { control in
            control.sampleRate = layout.output.sampleRate
            let curve = control.curve
            let buffer = TripleBuffer(initial: curve)
            let kernel = EqualizerKernel(layout, curve: curve, reader: buffer.reader)
            control.writer = .some(buffer.writer)
            return RenderKernel(kernel) { context, slice, inputs in
                context.assumingMemoryBound(to: EqualizerKernel.self).pointee.render(
                    &slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                    inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
            }
        }
    }
}
