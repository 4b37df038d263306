import AudioDevices
import AudioSession
import AudioUnits
import Glibc
import Realtime

/// `listen --ring DEVICE`: a second of ring tone on another output when somebody calls, while the call stays where it is.
///
/// ```
/// oscillator -> MultichannelMixer -> RemoteIO on the ring's device
/// ```
final class RingTone {
    /// One burst of ITU-T E.180's recommended tone, 425 Hz.
    private static let hertz = 425.0
    private static let level: Float = 0.2
    private static let milliseconds = 1000.0
    private static let rate = 48_000.0

    private let graph: AudioGraph
    private let oscillator: UnsafeMutablePointer<Oscillator>
    private let audio: AudioSession?
    private let category: SessionCategory?
    private let ends: HostTime

    private struct Oscillator {
        var phase = 0.0
        var left = Int(RingTone.milliseconds * RingTone.rate / 1000)

        /// Fades over the last 10 ms, then is silence.
        mutating func fill(_ slice: inout RenderSlice) {
            let samples = slice.data.assumingMemoryBound(to: Float.self)
            for frame in 0..<slice.frames {
                let fade = Float(min(left, 480)) / 480
                samples[frame] = left > 0 ? RingTone.level * fade * Float(sin(phase)) : 0
                phase += 2 * .pi * RingTone.hertz / RingTone.rate
                if left > 0 { left -= 1 }
            }
            if phase > 1e4 { phase.formTruncatingRemainder(dividingBy: 2 * .pi) }
        }
    }

    /// Begins to ring.
    /// - Parameter audio: the call's session: two outputs at once make it multi-route as long as it rings.
    init(on device: any HardwareDevice, audio: AudioSession?) throws(AudioUnitError) {
        let unit = RemoteIO(device: device)
        let mixer = MultichannelMixer()
        graph = AudioGraph(output: unit)
        oscillator = .allocate(capacity: 1)
        oscillator.initialize(to: Oscillator())
        self.audio = audio
        category = audio?.category
        ends = HostTime.monotonicNow().advanced(byMilliseconds: Self.milliseconds + 500)
        let format = StreamFormat(sampleRate: Self.rate)
        audio?.setCategory(.multiRoute, options: audio?.options ?? [])
        try audio?.attach(unit)
        try graph.connect(
            RenderCallback(context: oscillator) { context, slice in
                context.assumingMemoryBound(to: Oscillator.self).pointee
                    .fill(&slice.assumingMemoryBound(to: RenderSlice.self).pointee)
            }, format: format, to: mixer)
        try graph.connect(mixer, to: unit)
        try graph.initialize()
        try graph.start()
    }

    /// Begins to ring on the device of that name.
    convenience init(at place: DeviceSpecification, audio: AudioSession?) throws(AudioUnitError) {
        let device: any HardwareDevice
        do throws(DeviceError) {
            device = try makeDevice(place, place)
        } catch {
            throw .device(error)
        }
        try self.init(on: device, audio: audio)
    }

    /// Whether the tone has been played.
    var isOver: Bool { HostTime.monotonicNow() >= ends }

    deinit {
        graph.dispose()
        if let audio, let category { audio.setCategory(category, options: audio.options) }
        oscillator.deinitialize(count: 1)
        oscillator.deallocate()
    }
}
