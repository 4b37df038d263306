import Glibc
import Realtime

/// Mixes any number of mono and stereo inputs to mono or stereo.
///
/// - Inputs have formats of their own; rates and sample types are converted. Channels beyond the second are mixed down by
///   `Converter`'s rule.
/// - Pan places a mono input by the sine and cosine law (constant power, 3 dB less on each side in the middle), and
///   balances a stereo one (the far side fades linearly). A mono output takes no notice of pan and gets the mean of a
///   stereo input.
/// - Volume, enable and pan change at any time, without a click (10 ms). An input that is off is not rendered: it stands
///   still.
/// - Meters show inputs before and the output after their volume.
///
/// Eight inputs to begin with, 48,000 Hz, stereo everywhere.
///
/// Sendable: its settings are behind a lock and reach the kernel by atomics.
public final class MultichannelMixer: ProcessingUnit, @unchecked Sendable {
    /// How many inputs there may be.
    public static let inputCounts = 1...1024
    /// Volumes that can be set, as factors.
    public static let volumes: ClosedRange<Float> = 0...4

    private struct Settings {
        var volume: Float = 1
        var pan: Float = 0
        var isEnabled = true
    }

    private struct Control: MixerControl {
        var settings: [Settings]
        var outputVolume: Float = 1
        var isMetering = false
        var parameters: MixerParameters

        /// Works out what the render thread needs for an input.
        func place(_ input: Int) {
            let (volume, pan) = (settings[input].volume, settings[input].pan)
            let angle = Double(pan + 1) * .pi / 4
            let place = parameters.inputs + input
            place.pointee.volume.store(left: volume, right: volume)
            place.pointee.mono.store(left: volume * Float(cos(angle)), right: volume * Float(sin(angle)))
            place.pointee.stereo.store(left: volume * min(1, 1 - pan), right: volume * min(1, 1 + pan))
            place.pointee.isEnabled.store(settings[input].isEnabled, ordering: .relaxed)
        }
    }

    private let control: Lock<Control>

    public init() {
        let count = 8
        control = Lock(
            Control(
                settings: Array(repeating: Settings(), count: count), parameters: MixerParameters(inputs: count)))
        super.init(
            shape: UnitShape(
                component: .multichannelMixer, inputElements: Self.inputCounts, formats: .mixes(inputChannels: 2),
                outputChannels: 1...2, defaultChannels: 2))
        // The shape's least count is 1; eight is what people expect of a mixer on the table.
        try? setInputElements(count)
    }

    /// Volume of an input, a factor; 1 by default.
    public func volume(input: Int) throws(AudioUnitError) -> Float { try control.settings(input).volume }

    /// Sets an input's volume, a factor of 0 ... 4.
    public func setVolume(_ volume: Float, input: Int) throws(AudioUnitError) {
        guard Self.volumes.contains(volume) else { throw .outOfRange(setting: "volume", allowed: "0 to 4") }
        try control.change(input) { $0.volume = volume }
    }

    /// Place of an input, -1 (left) ... 1 (right); 0 by default.
    public func pan(input: Int) throws(AudioUnitError) -> Float { try control.settings(input).pan }

    /// Places an input between left (-1) and right (1).
    public func setPan(_ pan: Float, input: Int) throws(AudioUnitError) {
        guard (-1...1).contains(pan) else { throw .outOfRange(setting: "pan", allowed: "-1 to 1") }
        try control.change(input) { $0.pan = pan }
    }

    /// Whether an input is on; true by default.
    public func isEnabled(input: Int) throws(AudioUnitError) -> Bool { try control.settings(input).isEnabled }

    /// Switches an input on or off.
    public func setEnabled(_ isEnabled: Bool, input: Int) throws(AudioUnitError) {
        try control.change(input) { $0.isEnabled = isEnabled }
    }

    /// Volume of everything, a factor; 1 by default.
    public var outputVolume: Float { control.withLock { $0.outputVolume } }

    /// Sets the volume of everything, a factor of 0 ... 4.
    public func setOutputVolume(_ volume: Float) throws(AudioUnitError) {
        guard Self.volumes.contains(volume) else { throw .outOfRange(setting: "volume", allowed: "0 to 4") }
        control.withLock {
            $0.outputVolume = volume
            $0.parameters.output.pointee.volume.store(left: volume, right: volume)
        }
    }

    /// Whether levels are measured; off by default.
    public var isMetering: Bool {
        get { control.withLock { $0.isMetering } }
        set {
            control.withLock {
                $0.isMetering = newValue
                $0.parameters.metering.pointee.store(newValue, ordering: .relaxed)
            }
        }
    }

    /// Level of an input's channel (0 left or mono, 1 right) before its volume; silence while metering is off.
    public func level(input: Int, channel: Int = 0) throws(AudioUnitError) -> MeterLevel {
        let level: MeterLevel? = control.withLock {
            guard $0.settings.indices.contains(input), (0...1).contains(channel) else { return nil }
            let place = $0.parameters.inputs + input
            return channel == 0 ? place.pointee.left.level : place.pointee.right.level
        }
        guard let level else { throw .noSuchElement(input) }
        return level
    }

    /// Level of the output's channel after the output's volume; silence while metering is off.
    public func outputLevel(channel: Int = 0) -> MeterLevel {
        control.withLock {
            channel == 0 ? $0.parameters.output.pointee.left.level : $0.parameters.output.pointee.right.level
        }
    }

    public override func inputElementsChanged(to count: Int) {
        control.withLock { control in
            let more = max(0, count - control.settings.count)
            control.settings =
                Array(control.settings.prefix(count)) + Array(repeating: Settings(), count: more)
            control.parameters = MixerParameters(inputs: count)
            control.parameters.metering.pointee.store(control.isMetering, ordering: .relaxed)
            control.parameters.output.pointee.volume.store(left: control.outputVolume, right: control.outputVolume)
            for input in 0..<count { control.place(input) }
        }
    }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let parameters = control.withLock { $0.parameters }
        return RenderKernel(MixerKernel(layout, parameters: parameters)) { context, slice, inputs in
            context.assumingMemoryBound(to: MixerKernel.self).pointee.render(
                &slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }
}
