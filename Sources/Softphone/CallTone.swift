import AudioDevices
import AudioSession
import AudioUnits
import Glibc
import Realtime

/// A tone of the telephone on an output of its own, while the call stays where it is: it rings here or there, is busy, or somebody
/// waits beside a call.
///
/// ```
/// oscillator -> MultichannelMixer -> RemoteIO on the ring's device
/// ```
final class CallTone {
    /// When a tone sounds (ITU-T E.180), ms.
    struct Cadence: Sendable, Equatable {
        let name: String
        var bursts = 1
        let on: Double
        var off = 0.0
        /// From one beginning to the next.
        let period: Double

        static let ring = Cadence(name: "ring", on: 1000, period: 1500)
        static let ringback = Cadence(name: "ringback", on: 1000, period: 5000)
        static let busy = Cadence(name: "busy", bursts: 3, on: 500, off: 500, period: 3000)
        static let waiting = Cadence(name: "call-waiting", bursts: 2, on: 200, off: 200, period: 6000)
    }

    /// ITU-T E.180's recommended tone, 425 Hz.
    private static let hertz = 425.0
    private static let level: Float = 0.2
    private static let rate = 48_000.0

    private let graph: AudioGraph
    private let oscillator: UnsafeMutablePointer<Oscillator>
    private let audio: AudioSession?
    private let category: SessionCategory?
    private let ends: HostTime

    private struct Oscillator {
        var phase = 0.0
        var burstsLeft: Int
        let on: Int
        let off: Int
        /// Of this burst; below zero: of the pause behind it.
        var left: Int

        init(_ cadence: Cadence) {
            burstsLeft = cadence.bursts
            on = Int(cadence.on * CallTone.rate / 1000)
            off = Int(cadence.off * CallTone.rate / 1000)
            left = on
        }

        /// Fades over the last 10 ms of each burst, then is silence.
        mutating func fill(_ slice: inout RenderSlice) {
            let samples = slice.data.assumingMemoryBound(to: Float.self)
            for frame in 0..<slice.frames {
                let isSounding = left > 0 && burstsLeft > 0
                let fade = Float(min(left, 480)) / 480
                samples[frame] = isSounding ? CallTone.level * fade * Float(sin(phase)) : 0
                phase += 2 * .pi * CallTone.hertz / CallTone.rate
                guard burstsLeft > 0 else { continue }
                left -= 1
                if left <= -off { (left, burstsLeft) = (on, burstsLeft - 1) }
            }
            if phase > 1e4 { phase.formTruncatingRemainder(dividingBy: 2 * .pi) }
        }
    }

    /// Begins to sound.
    /// - Parameter audio: the call's session: two outputs at once make it multi-route as long as it rings.
    init(on device: any HardwareDevice, _ cadence: Cadence, audio: AudioSession?) throws(AudioUnitError) {
        let unit = RemoteIO(device: device)
        let mixer = MultichannelMixer()
        graph = AudioGraph(output: unit)
        oscillator = .allocate(capacity: 1)
        oscillator.initialize(to: Oscillator(cadence))
        self.audio = audio
        category = audio?.category
        ends = HostTime.monotonicNow().advanced(byMilliseconds: cadence.period)
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

    /// Begins to sound on the device of that name.
    convenience init(at place: DeviceSpecification, _ cadence: Cadence, audio: AudioSession?) throws(AudioUnitError) {
        let device: any HardwareDevice
        do throws(DeviceError) {
            device = try makeDevice(place, place)
        } catch {
            throw .device(error)
        }
        try self.init(on: device, cadence, audio: audio)
    }

    /// Whether the tone has been played, and the time has come for the next one.
    var isOver: Bool { HostTime.monotonicNow() >= ends }

    deinit {
        graph.dispose()
        if let audio, let category { audio.setCategory(category, options: audio.options) }
        oscillator.deinitialize(count: 1)
        oscillator.deallocate()
    }
}
