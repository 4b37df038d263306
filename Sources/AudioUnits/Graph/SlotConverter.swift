/// Between a source's format and what a kernel sees: sample type, layout, channels and rate.
///
/// Belongs to one connection; the render thread's alone while it is in use.
struct SlotConverter: ~Copyable {
    private let format: StreamFormat
    private let ratio: Double
    private let storage: PlanarConverterStorage
    private let converter: PlanarConverter
    /// What the source fills, when that is not runs of Float32.
    private let raw: UnsafeMutableRawPointer
    /// Frames of the source that the resampler has not taken yet stand at the front.
    private let pending: Planes
    private var pendingFrames = 0
    private let maximumAsk: Int

    /// - Parameters:
    ///   - maximumAsk: the most frames the source gives at once.
    ///   - maximumFrames: the most frames the kernel takes at once.
    init(
        from format: StreamFormat, channels: Int, sampleRate: Double, maximumAsk: Int, maximumFrames: Int, quality: Int
    ) throws(AudioUnitError) {
        self.format = format
        self.maximumAsk = maximumAsk
        ratio = format.sampleRate / sampleRate
        storage = try PlanarConverterStorage(
            inputChannels: format.channels, inputRate: format.sampleRate, outputChannels: channels,
            outputRate: sampleRate, maximumFrames: max(maximumAsk, maximumFrames), quality: quality)
        converter = storage.converter
        raw = .allocate(byteCount: format.byteCount(frames: maximumAsk), alignment: 16)
        pending = Planes(channels: format.channels, stride: maximumAsk)
    }

    deinit {
        raw.deallocate()
        pending.free()
    }

    /// Fills `frames` frames. `ask` renders so many frames of the source to a place with channels that many bytes apart,
    /// and tells how many of them hold sound. Returns false when the source was silent throughout.
    @_noLocks
    mutating func fill(
        _ target: UnsafeMutablePointer<Float>, stride: Int, frames: Int,
        ask: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) -> Bool {
        var done = 0
        var sounds = false
        while done < frames {
            if pendingFrames == 0 {
                let exact = converter.keepsRate ? frames &- done : roundedUp(Double(frames &- done) * ratio)
                if gather(max(1, min(exact, maximumAsk)), ask) { sounds = true }
            }
            let step = converter.process(
                pending.base, stride: pending.stride, frames: pendingFrames, into: target + done, stride: stride,
                capacity: frames &- done)
            // A resampler that takes nothing and makes nothing would hold the render thread for ever.
            if step.consumed == 0, step.produced == 0 { pendingFrames = 0 }
            done &+= step.produced
            drop(step.consumed)
        }
        return sounds || !converter.keepsRate
    }

    /// Takes `frames` frames from the source into the empty `pending`.
    @_noLocks
    private mutating func gather(_ frames: Int, _ ask: (UnsafeMutableRawPointer, Int, Int) -> Int) -> Bool {
        let isDirect = format.sampleType.isFloat && !format.interleaved
        let stride = isDirect ? pending.stride &* MemoryLayout<Float>.stride : frames &* format.sampleType.bytes
        let sound = ask(isDirect ? UnsafeMutableRawPointer(pending.base) : raw, stride, frames)
        if !isDirect {
            SampleCoder.unpack(
                raw, format: format, channelByteStride: stride, frames: sound, into: pending.base,
                stride: pending.stride)
        }
        for channel in 0..<format.channels {
            zero(pending.base + (channel &* pending.stride &+ sound), frames: frames &- sound)
        }
        pendingFrames = frames
        return sound > 0
    }

    @_noLocks
    private mutating func drop(_ frames: Int) {
        pendingFrames = max(0, pendingFrames &- frames)
        guard frames > 0, pendingFrames > 0 else { return }
        for channel in 0..<format.channels {
            let base = pending.base + channel &* pending.stride
            for index in 0..<pendingFrames { base[index] = base[index &+ frames] }
        }
    }
}

/// Owns a `SlotConverter` at a fixed address.
///
/// Sendable: the address is constant; the converter there is the render thread's until nobody holds the box.
final class SlotConverterBox: @unchecked Sendable {
    let place: UnsafeMutablePointer<SlotConverter>

    init(_ converter: consuming SlotConverter) {
        place = .allocate(capacity: 1)
        place.initialize(to: converter)
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
