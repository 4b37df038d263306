import Realtime
import Synchronization

/// The way down: render callback, reference for the echo canceller if any, rate and channels, device block.
///
/// The caller keeps the callback's owner alive. Lives at a fixed address while the unit is initialized;
/// only the device's playback thread touches it while it runs.
struct PlaybackPath: ~Copyable {
    private let format: StreamFormat
    private let maximumSlice: Int
    private let function: RenderCallback.Function?
    private let readiness: RenderCallback.Readiness?
    private let context: UnsafeMutableRawPointer?
    private let observers: RenderObserver.List
    private let meters: UnsafePointer<UnitMeters>
    private let reference: UnsafeMutablePointer<ReferenceWriter>?
    /// Where the callback may ask for what the microphone heard.
    private let line: UnsafeMutablePointer<InputLineReader>?
    /// What the callback fills when its format is not Float32 in runs.
    private let raw: UnsafeMutableRawPointer
    private let monoMix: Planes
    /// Rendered frames that the resampler has not taken yet stand at the front.
    private let pending: Planes
    private var pendingFrames = 0
    private var device: DeviceStreamFormat
    private let quality: Int
    private var storage: PlanarConverterStorage
    private var converter: PlanarConverter
    private var devicePlanes: Planes
    private let map: [Int]?
    private var mapping: ChannelMap?
    private var clock: DeviceClock
    /// Application frames asked for, and device frames made of them, since the converter was built.
    private var asked: Int64 = 0
    private var made: Int64 = 0
    /// Application frames asked for since the start.
    private var rendered: Int64 = 0

    /// Input frames kept ready over the exact ratio, so that the resampler's phase never forces a second, tiny ask.
    private static var slack: Int { @_noLocks get { 1 } }

    init(
        device: DeviceStreamFormat, format: StreamFormat, maximumSlice: Int, callback: RenderCallback?,
        observers: [RenderObserver], reference: UnsafeMutablePointer<ReferenceWriter>?,
        meters: UnsafePointer<UnitMeters>, quality: Int = 5, channelMap: [Int]? = nil,
        line: UnsafeMutablePointer<InputLineReader>? = nil
    ) throws(AudioUnitError) {
        let capacity = maximumSlice + 16
        let storage = try Self.makeStorage(
            device, format, capacity: capacity, quality: quality, isMapped: channelMap != nil)
        self.format = format
        self.maximumSlice = maximumSlice
        function = callback?.function
        readiness = callback?.readiness
        context = callback?.context
        self.observers = RenderObserver.List(observers)
        self.meters = meters
        self.reference = reference
        self.line = line
        self.device = device
        self.quality = quality
        raw = .allocate(byteCount: format.byteCount(frames: maximumSlice), alignment: 16)
        monoMix = Planes(channels: 1, stride: maximumSlice)
        pending = Planes(channels: format.channels, stride: capacity)
        self.storage = storage
        converter = storage.converter
        devicePlanes = Planes(channels: device.channels, stride: max(1, device.maximumFrames))
        map = channelMap
        mapping = map.map { ChannelMap($0, sourceChannels: format.channels, frames: max(1, device.maximumFrames)) }
        clock = DeviceClock(nominalRate: device.sampleRate)
        meters.pointee.playbackConversion.store(converter.latencySeconds * 1000)
    }

    deinit {
        raw.deallocate()
        observers.free()
        monoMix.free()
        pending.free()
        devicePlanes.free()
        mapping?.free()
    }

    /// Rebuilds the device's side for another hardware format; on the device's thread, outside of the render scope.
    mutating func rebuild(_ device: DeviceStreamFormat) {
        guard device != self.device else { return }
        // A format that cannot be had leaves the old path: wrong in pitch, but a call goes on.
        guard
            let storage = try? Self.makeStorage(
                device, format, capacity: pending.stride, quality: quality, isMapped: map != nil)
        else { return }
        devicePlanes.free()
        mapping?.free()
        self.device = device
        self.storage = storage
        converter = storage.converter
        devicePlanes = Planes(channels: device.channels, stride: max(1, device.maximumFrames))
        mapping = map.map { ChannelMap($0, sourceChannels: format.channels, frames: max(1, device.maximumFrames)) }
        clock = DeviceClock(nominalRate: device.sampleRate)
        asked = 0
        made = 0
        pendingFrames = 0
        meters.pointee.playbackConversion.store(converter.latencySeconds * 1000)
        meters.pointee.formatChanges.wrappingAdd(1, ordering: .relaxed)
    }

    /// Whether the callback can render what `frames` device frames take.
    @_noLocks
    func isReady(frames: Int) -> Bool {
        guard let readiness, let context else { return true }
        let wanted = framesWanted(for: frames)
        return wanted <= 0 || CallSite.call(readiness, context, wanted)
    }

    /// Application frames to ask for, so that `count` device frames can be made.
    @_noLocks
    private func framesWanted(for count: Int) -> Int {
        let exact = roundedUp(Double(count) * format.sampleRate / device.sampleRate)
        return exact &+ (converter.keepsRate ? 0 : Self.slack) &- pendingFrames
    }

    /// Fills one device block of interleaved Float32.
    @_noLocks
    mutating func playback(_ samples: UnsafeMutablePointer<Float>, frames: Int, time: DeviceTime) {
        meters.pointee.playbackDevice.approach(time.latencyMilliseconds)
        let hardware = StreamFormat(
            sampleRate: device.sampleRate, channels: device.channels, sampleType: .float32, interleaved: true)
        render(UnsafeMutableRawPointer(samples), format: hardware, channelByteStride: 0, frames: frames, time: time)
    }

    /// Fills `frames` frames of any format with the device's channel count.
    @_noLocks
    mutating func render(
        _ data: UnsafeMutableRawPointer, format: StreamFormat, channelByteStride: Int, frames: Int, time: DeviceTime
    ) {
        clock.update(sampleTime: time.sampleTime, hostTime: time.hostTime)
        if let line { line.pointee.beginBlock() }
        var done = 0
        while done < frames {
            let count = min(frames &- done, devicePlanes.stride)
            fill(count, seconds: clock.seconds(at: time.sampleTime &+ Int64(done)))
            SampleCoder.pack(
                devicePlanes.base, stride: devicePlanes.stride, frames: count,
                into: data + done &* format.sampleStride, format: format, channelByteStride: channelByteStride)
            done &+= count
        }
    }

    /// Makes `count` device frames, asking the callback for as many frames as that takes.
    @_noLocks
    private mutating func fill(_ count: Int, seconds: Double) {
        var produced = 0
        let before = made
        let target = mapping?.planes ?? devicePlanes
        while produced < count {
            let wanted = framesWanted(for: count &- produced)
            if wanted > 0 {
                let heard = Double(asked) / format.sampleRate - Double(before) / device.sampleRate
                ask(min(wanted, maximumSlice), heardAt: seconds + heard + converter.latencySeconds)
            }
            let result = converter.process(
                pending.base, stride: pending.stride, frames: pendingFrames, into: target.base + produced,
                stride: target.stride, capacity: count &- produced)
            drop(result.consumed)
            produced &+= result.produced
            // Cannot happen with a sound resampler; a render thread must not spin if it does.
            if wanted <= 0, result.consumed == 0, result.produced == 0 {
                let channels = mapping?.sourceChannels ?? device.channels
                for channel in 0..<channels {
                    zero(target.base + channel &* target.stride + produced, frames: count &- produced)
                }
                break
            }
        }
        if let mapping {
            mapping.apply(
                to: devicePlanes.base, stride: devicePlanes.stride, channels: device.channels, frames: count,
                counts: meters.pointee.usesChannelMap.load(ordering: .relaxed))
        }
        made &+= Int64(count)
    }

    /// Appends `frames` frames from the callback to what is pending.
    @_noLocks
    private mutating func ask(_ frames: Int, heardAt seconds: Double) {
        let target = pending.base + pendingFrames
        let isDirect = format.sampleType.isFloat && (!format.interleaved || format.channels == 1)
        let stride = isDirect ? pending.stride &* MemoryLayout<Float>.stride : frames &* format.sampleType.bytes
        var slice = RenderSlice(
            time: AudioTimeStamp(sampleTime: rendered, hostTime: hostTime(seconds)), element: Element.output,
            frames: frames, format: format, data: isDirect ? UnsafeMutableRawPointer(target) : raw,
            channelByteStride: stride)
        if isDirect {
            for channel in 0..<format.channels { zero(target + channel &* pending.stride, frames: frames) }
        } else {
            raw.initializeMemory(as: UInt8.self, repeating: 0, count: format.byteCount(frames: frames))
        }
        notify(isAfter: false, target, frames: frames, time: slice.time)
        if let function, let context {
            CallSite.call(function, context, &slice)
        } else {
            slice.producedFrames = 0
        }
        let filled = slice.outputIsSilence ? 0 : max(0, min(frames, slice.producedFrames))
        if !slice.outputIsSilence, filled < frames {
            meters.pointee.shortFills.wrappingAdd(1, ordering: .relaxed)
            meters.pointee.zeroFilledFrames.wrappingAdd(frames &- filled, ordering: .relaxed)
        }
        if !isDirect {
            SampleCoder.unpack(
                raw, format: format, channelByteStride: stride, frames: filled, into: target, stride: pending.stride)
        }
        for channel in 0..<format.channels {
            zero(target + channel &* pending.stride + filled, frames: frames &- filled)
        }
        notify(isAfter: true, target, frames: frames, time: slice.time)
        if let reference {
            ChannelRule.apply(
                target, channels: format.channels, stride: pending.stride, to: monoMix.base, channels: 1,
                stride: monoMix.stride, frames: frames)
            reference.pointee.write(monoMix.base, count: frames, heardAt: seconds, clock: clock)
        }
        pendingFrames &+= frames
        asked &+= Int64(frames)
        rendered &+= Int64(frames)
        meters.pointee.outputFrames.wrappingAdd(frames, ordering: .relaxed)
    }

    @_noLocks
    private func notify(
        isAfter: Bool, _ target: UnsafeMutablePointer<Float>, frames: Int, time: AudioTimeStamp
    ) {
        guard !observers.isEmpty else { return }
        var slice = RenderSlice(
            time: time, element: Element.output, frames: frames,
            format: StreamFormat(sampleRate: format.sampleRate, channels: format.channels),
            data: UnsafeMutableRawPointer(target), channelByteStride: pending.stride &* MemoryLayout<Float>.stride)
        observers.notify(isAfter: isAfter, &slice)
    }

    /// Moves what is left of the pending frames to the front.
    @_noLocks
    private mutating func drop(_ frames: Int) {
        pendingFrames &-= frames
        guard frames > 0, pendingFrames > 0 else { return }
        for channel in 0..<format.channels {
            let base = pending.base + channel &* pending.stride
            for index in 0..<pendingFrames { base[index] = base[index &+ frames] }
        }
    }

    private static func makeStorage(
        _ device: DeviceStreamFormat, _ format: StreamFormat, capacity: Int, quality: Int, isMapped: Bool
    ) throws(AudioUnitError) -> PlanarConverterStorage {
        try PlanarConverterStorage(
            inputChannels: format.channels, inputRate: format.sampleRate,
            outputChannels: isMapped ? format.channels : device.channels,
            outputRate: device.sampleRate, maximumFrames: max(capacity, device.maximumFrames), quality: quality)
    }
}

/// The least integer not below a small positive number.
@_noLocks
func roundedUp(_ value: Double) -> Int {
    let whole = Int(value)
    return Double(whole) < value ? whole &+ 1 : whole
}
