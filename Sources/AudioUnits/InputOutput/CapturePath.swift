import Realtime
import Synchronization

/// The way up: device block, channels and rate, voice processing if any, input handler.
///
/// The caller keeps the handler's owner alive. Lives at a fixed address while the unit is initialized;
/// only the device's capture thread touches it while it runs.
struct CapturePath: ~Copyable {
    private let format: StreamFormat
    private let maximumSlice: Int
    private let function: InputHandler.Function?
    private let context: UnsafeMutableRawPointer?
    private let observers: RenderObserver.List
    private let line: UnsafeMutablePointer<InputLineWriter>?
    private let meters: UnsafePointer<UnitMeters>
    private let voice: UnsafeMutablePointer<VoiceProcessor>?
    private let slice: UnsafeMutablePointer<CapturedSlice>
    private var device: DeviceStreamFormat
    private var storage: PlanarConverterStorage
    private var converter: PlanarConverter
    private var devicePlanes: Planes
    private var planes: Planes
    private var voicePlane: Planes
    private var clock: DeviceClock
    /// Device frames taken in, and application frames made of them, since the converter was built.
    private var taken: Int64 = 0
    private var made: Int64 = 0
    /// Application frames handed over since the start.
    private var delivered: Int64 = 0

    init(
        device: DeviceStreamFormat, format: StreamFormat, maximumSlice: Int, handler: InputHandler?,
        observers: [RenderObserver], line: UnsafeMutablePointer<InputLineWriter>?,
        voice: UnsafeMutablePointer<VoiceProcessor>?, meters: UnsafePointer<UnitMeters>
    ) throws(AudioUnitError) {
        let parts = try Parts(device: device, format: format)
        self.format = format
        self.maximumSlice = maximumSlice
        function = handler?.function
        context = handler?.context
        self.observers = RenderObserver.List(observers)
        self.line = line
        self.meters = meters
        self.voice = voice
        slice = .allocate(capacity: 1)
        self.device = device
        storage = parts.storage
        converter = parts.storage.converter
        devicePlanes = parts.devicePlanes
        planes = parts.planes
        voicePlane = parts.voicePlane
        clock = DeviceClock(nominalRate: device.sampleRate)
        meters.pointee.captureConversion.store(converter.latencySeconds * 1000)
    }

    deinit {
        slice.deallocate()
        observers.free()
        devicePlanes.free()
        planes.free()
        voicePlane.free()
    }

    /// Rebuilds the device's side for another hardware format; on the device's thread, outside of the render scope.
    mutating func rebuild(_ device: DeviceStreamFormat) {
        guard device != self.device else { return }
        // A format that cannot be had leaves the old path: wrong in pitch, but a call goes on.
        guard let parts = try? Parts(device: device, format: format) else { return }
        devicePlanes.free()
        planes.free()
        voicePlane.free()
        self.device = device
        storage = parts.storage
        converter = parts.storage.converter
        devicePlanes = parts.devicePlanes
        planes = parts.planes
        voicePlane = parts.voicePlane
        clock = DeviceClock(nominalRate: device.sampleRate)
        taken = 0
        made = 0
        meters.pointee.captureConversion.store(converter.latencySeconds * 1000)
        meters.pointee.formatChanges.wrappingAdd(1, ordering: .relaxed)
    }

    /// Takes in one device block.
    @_noLocks
    mutating func capture(_ samples: UnsafePointer<Float>, frames: Int, time: DeviceTime) {
        clock.update(sampleTime: time.sampleTime, hostTime: time.hostTime)
        meters.pointee.captureDevice.approach(time.latencyMilliseconds)
        var done = 0
        while done < frames {
            let count = min(frames &- done, devicePlanes.stride)
            let seconds = clock.seconds(at: time.sampleTime &+ Int64(done))
            convert(samples + done &* device.channels, frames: count, seconds: seconds)
            done &+= count
        }
    }

    @_noLocks
    private mutating func convert(_ samples: UnsafePointer<Float>, frames: Int, seconds: Double) {
        let hardware = StreamFormat(
            sampleRate: device.sampleRate, channels: device.channels, sampleType: .float32, interleaved: true)
        SampleCoder.unpack(
            samples, format: hardware, channelByteStride: 0, frames: frames, into: devicePlanes.base,
            stride: devicePlanes.stride)
        let result = converter.process(
            devicePlanes.base, stride: devicePlanes.stride, frames: frames, into: planes.base,
            stride: planes.stride, capacity: planes.stride)
        // The first frame made now was at the microphone this much before (or after) the block's first frame.
        let shift = Double(made) / format.sampleRate - Double(taken) / device.sampleRate - converter.latencySeconds
        taken &+= Int64(frames)
        made &+= Int64(result.produced)
        guard let voice else {
            deliver(planes.base, stride: planes.stride, frames: result.produced, seconds: seconds + shift)
            return
        }
        let delay = Double(voice.pointee.delayFrames) / format.sampleRate
        let count = voice.pointee.process(
            planes.base, count: result.produced, seconds: seconds + shift, captureClock: clock,
            into: voicePlane.base, capacity: voicePlane.stride)
        deliver(voicePlane.base, stride: voicePlane.stride, frames: count, seconds: seconds + shift - delay)
    }

    /// Feeds the graph, and tells observers and handler in slices no longer than the maximum.
    @_noLocks
    private mutating func deliver(
        _ source: UnsafeMutablePointer<Float>, stride: Int, frames: Int, seconds: Double
    ) {
        // As a whole: the graph's line keeps a whole block in reserve.
        if let line, frames > 0 { line.pointee.write(source, stride: stride, frames: frames) }
        var done = 0
        while done < frames {
            let count = min(frames &- done, maximumSlice)
            let time = AudioTimeStamp(
                sampleTime: delivered, hostTime: hostTime(seconds + Double(done) / format.sampleRate))
            notify(isAfter: false, source + done, stride: stride, frames: count, time: time)
            if let function, let context {
                slice.initialize(
                    to: CapturedSlice(
                        planes: source + done, stride: stride, frames: count, format: format, meters: meters))
                var notice = InputNotice(time: time, frames: count, format: format, source: slice)
                CallSite.call(function, context, &notice)
            }
            notify(isAfter: true, source + done, stride: stride, frames: count, time: time)
            delivered &+= Int64(count)
            done &+= count
        }
        meters.pointee.inputFrames.wrappingAdd(frames, ordering: .relaxed)
    }

    @_noLocks
    private func notify(
        isAfter: Bool, _ source: UnsafeMutablePointer<Float>, stride: Int, frames: Int, time: AudioTimeStamp
    ) {
        guard !observers.isEmpty else { return }
        var slice = RenderSlice(
            time: time, element: Element.input, frames: frames,
            format: StreamFormat(sampleRate: format.sampleRate, channels: format.channels),
            data: UnsafeMutableRawPointer(source), channelByteStride: stride &* MemoryLayout<Float>.stride)
        observers.notify(isAfter: isAfter, &slice)
    }

    /// What depends on the hardware's format.
    private struct Parts {
        let storage: PlanarConverterStorage
        let devicePlanes: Planes
        let planes: Planes
        let voicePlane: Planes

        init(device: DeviceStreamFormat, format: StreamFormat) throws(AudioUnitError) {
            let frames = max(1, device.maximumFrames)
            // 16 frames over the ratio: the resampler may hand out what it still held.
            let capacity = Int(Double(frames) * format.sampleRate / device.sampleRate) + 16
            storage = try PlanarConverterStorage(
                inputChannels: device.channels, inputRate: device.sampleRate, outputChannels: format.channels,
                outputRate: format.sampleRate, maximumFrames: max(frames, capacity), quality: 5)
            devicePlanes = Planes(channels: device.channels, stride: frames)
            planes = Planes(channels: format.channels, stride: capacity)
            // Voice processing may add the block it was collecting.
            voicePlane = Planes(channels: 1, stride: capacity + Int(format.sampleRate / 100) + 1)
        }
    }
}

/// Host time from seconds, without a trap for nonsense stamps.
@_noLocks
func hostTime(_ seconds: Double) -> HostTime {
    guard seconds.magnitude < 9e9 else { return HostTime(nanoseconds: 0) }
    return HostTime(nanoseconds: Int64(seconds * 1e9))
}
