import Realtime

/// Mixes mono inputs to two channels, each placed by azimuth, elevation and distance.
///
/// - `rendering` says how direction becomes stereo: for headphones the spherical head of Brown and Duda (delay and shadow of
///   each ear), for loudspeakers the sine and cosine panning law.
/// - Distance makes quieter by `attenuation`, OpenAL 1.1's models.
/// - Everything changes at any time, without a click (20 ms). A stereo source is mixed down first.
///
/// Eight inputs to begin with, 48,000 Hz; the output is stereo.
///
/// Sendable: its settings are behind a lock and reach the kernel by atomics.
public final class Mixer3D: ProcessingUnit, @unchecked Sendable {
    /// How direction becomes stereo.
    public enum Rendering: Sendable, CaseIterable {
        /// For headphones: C. P. Brown and R. O. Duda's spherical head (1998).
        case sphericalHead
        /// For loudspeakers: the sine and cosine law.
        case panning
    }

    /// How many inputs there may be.
    public static let inputCounts = 1...256
    /// Volumes that can be set, as factors.
    public static let volumes: ClosedRange<Float> = 0...4

    private struct Settings {
        var position = SpatialPosition()
        var volume: Float = 1
        var isEnabled = true
    }

    private struct Control: MixerControl {
        var settings: [Settings]
        var rendering = Rendering.sphericalHead
        var attenuation = DistanceAttenuation()
        var outputVolume: Float = 1
        var sampleRate = 48_000.0
        var parameters: SpatialParameters

        /// Works out what the render thread needs for an input, or for all.
        func place(_ input: Int) {
            let one = settings[input]
            let (left, right) =
                rendering == .sphericalHead ? HeadModel.spherical(one.position) : HeadModel.panned(one.position)
            let gain = attenuation.gain(at: one.position.distance) * Double(one.volume)
            let place = parameters.inputs + input
            place.pointee.gains.store(left: Float(gain * left.gain), right: Float(gain * right.gain))
            place.pointee.delays.store(left: Float(left.delay * sampleRate), right: Float(right.delay * sampleRate))
            place.pointee.shadows.store(left: Float(left.shadow), right: Float(right.shadow))
            place.pointee.isEnabled.store(one.isEnabled, ordering: .relaxed)
        }

        func placeAll() { for input in settings.indices { place(input) } }
    }

    private let control: Lock<Control>

    public init() {
        let count = 8
        control = Lock(
            Control(
                settings: Array(repeating: Settings(), count: count), parameters: SpatialParameters(inputs: count)))
        super.init(
            shape: UnitShape(
                component: .mixer3D, inputElements: Self.inputCounts, formats: .mixes(inputChannels: 1),
                outputChannels: 2...2, defaultChannels: 2))
        try? setInputElements(count)
    }

    /// Where an input is; straight ahead at 1 m by default.
    public func position(input: Int) throws(AudioUnitError) -> SpatialPosition { try control.settings(input).position }

    /// Places an input.
    public func setPosition(_ position: SpatialPosition, input: Int) throws(AudioUnitError) {
        try position.validate()
        try control.change(input) { $0.position = position }
    }

    /// Volume of an input, a factor; 1 by default.
    public func volume(input: Int) throws(AudioUnitError) -> Float { try control.settings(input).volume }

    /// Sets an input's volume, a factor of 0 ... 4.
    public func setVolume(_ volume: Float, input: Int) throws(AudioUnitError) {
        guard Self.volumes.contains(volume) else { throw .outOfRange(setting: "volume", allowed: "0 to 4") }
        try control.change(input) { $0.volume = volume }
    }

    /// Whether an input is on; true by default. One that is off is not rendered: it stands still.
    public func isEnabled(input: Int) throws(AudioUnitError) -> Bool { try control.settings(input).isEnabled }

    /// Switches an input on or off.
    public func setEnabled(_ isEnabled: Bool, input: Int) throws(AudioUnitError) {
        try control.change(input) { $0.isEnabled = isEnabled }
    }

    /// How direction becomes stereo; `sphericalHead` by default.
    public var rendering: Rendering {
        get { control.withLock { $0.rendering } }
        set {
            control.withLock {
                $0.rendering = newValue
                $0.placeAll()
            }
        }
    }

    /// How distance makes quieter; inverse from 1 m by default.
    public var attenuation: DistanceAttenuation { control.withLock { $0.attenuation } }

    /// Sets how distance makes quieter.
    public func setAttenuation(_ attenuation: DistanceAttenuation) throws(AudioUnitError) {
        try attenuation.validate()
        control.withLock {
            $0.attenuation = attenuation
            $0.placeAll()
        }
    }

    /// Volume of everything, a factor; 1 by default.
    public var outputVolume: Float { control.withLock { $0.outputVolume } }

    /// Sets the volume of everything, a factor of 0 ... 4.
    public func setOutputVolume(_ volume: Float) throws(AudioUnitError) {
        guard Self.volumes.contains(volume) else { throw .outOfRange(setting: "volume", allowed: "0 to 4") }
        control.withLock {
            $0.outputVolume = volume
            $0.parameters.volume.pointee.store(left: volume, right: volume)
        }
    }

    public override func inputElementsChanged(to count: Int) {
        control.withLock { control in
            let more = max(0, count - control.settings.count)
            control.settings = Array(control.settings.prefix(count)) + Array(repeating: Settings(), count: more)
            control.parameters = SpatialParameters(inputs: count)
            control.parameters.volume.pointee.store(left: control.outputVolume, right: control.outputVolume)
            control.placeAll()
        }
    }

    public override func makeKernel(_ layout: UnitLayout) throws(AudioUnitError) -> RenderKernel {
        let parameters = control.withLock { control in
            control.sampleRate = layout.output.sampleRate
            control.placeAll()
            return control.parameters
        }
        return RenderKernel(SpatialKernel(layout, parameters: parameters)) { context, slice, inputs in
            context.assumingMemoryBound(to: SpatialKernel.self).pointee.render(
                slice.assumingMemoryBound(to: RenderSlice.self).pointee,
                inputs.assumingMemoryBound(to: UnitInputs.self).pointee)
        }
    }
}
