import Realtime

/// Where an input element's audio comes from, as one connection settles it for the units as they are.
struct SlotSource: BitwiseCopyable {
    /// Tells sources apart, also one from the same connection's before; 0 is none.
    var identifier = 0
    var function: RenderCallback.Function?
    var context: UnsafeMutableRawPointer?
    /// The application's function gets zeroed buffers; a unit fills or clears all it is given.
    var isApplication = false
    /// The source's output element.
    var element = 0
    /// What the source fills.
    var format = StreamFormat(sampleRate: 48_000)
    /// Channels the kernel gets.
    var channels = 1
    /// The most frames of the source one ask may carry.
    var maximumFrames = 1
    /// Between the source's format and the kernel's; nil when they are the same.
    var converter: UnsafeMutablePointer<SlotConverter>?

    @_noLocks
    init() {}
}

/// An input element on the render thread: asks its source, converts, and fades where connections change.
///
/// Only the render thread touches it while it runs; new sources come with a `GraphPlan`.
struct InputSlot {
    private(set) var source: SlotSource
    private var fade = SlotFade()
    /// Frames of the source asked for since it was connected.
    private var position: Int64 = 0
    private let sampleRate: Double
    private let meters: UnsafeMutablePointer<UnitMeters>

    /// `sampleRate` is the kernel's.
    init(source: SlotSource, sampleRate: Double, meters: UnsafeMutablePointer<UnitMeters>) {
        self.source = source
        self.sampleRate = sampleRate
        self.meters = meters
    }

    var isConnected: Bool { @_noLocks get { source.function != nil } }

    /// Whether the source may be changed without a click.
    var isFadedOut: Bool { @_noLocks get { fade.isOver } }

    /// Begins to take the present source away.
    @_noLocks
    mutating func fadeOut() { if isConnected { fade = fade.turnedOut(sampleRate: sampleRate) } }

    /// Puts a source in the present one's place; `fadesIn` unless nothing was heard before.
    @_noLocks
    mutating func connect(_ source: SlotSource, fadesIn: Bool) {
        self.source = source
        position = 0
        fade = fadesIn ? SlotFade(.in, sampleRate: sampleRate) : SlotFade()
    }

    /// Fills `frames` frames of all channels; false when they are silent.
    @_noLocks
    mutating func pull(
        into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, time: AudioTimeStamp
    ) -> Bool {
        guard let function = source.function, let context = source.context else {
            for channel in 0..<source.channels { zero(target + channel &* stride, frames: frames) }
            meters.pointee.zeroFilledFrames.wrappingAdd(frames, ordering: .relaxed)
            return false
        }
        var sounds = false
        if let converter = source.converter {
            sounds = converter.pointee.fill(target, stride: stride, frames: frames) {
                (data, bytes, count) in
                ask(function, context, data, channelByteStride: bytes, frames: count, time: time)
            }
        } else {
            var done = 0
            while done < frames {
                let count = min(frames &- done, source.maximumFrames)
                let later = HostTime(
                    nanoseconds: time.hostTime.nanoseconds &+ Int64(Double(done) * 1e9 / sampleRate))
                let answer = ask(
                    function, context, UnsafeMutableRawPointer(target + done),
                    channelByteStride: stride &* MemoryLayout<Float>.stride, frames: count,
                    time: AudioTimeStamp(sampleTime: time.sampleTime, hostTime: later))
                if answer > 0 { sounds = true }
                for channel in 0..<source.channels {
                    zero(target + (channel &* stride &+ done &+ answer), frames: count &- answer)
                }
                done &+= count
            }
        }
        fade.apply(target, channels: source.channels, stride: stride, frames: frames)
        return sounds
    }

    /// One ask of the source. Returns the frames that hold sound; the rest of the buffer means silence.
    @_noLocks
    private mutating func ask(
        _ function: RenderCallback.Function, _ context: UnsafeMutableRawPointer, _ data: UnsafeMutableRawPointer,
        channelByteStride: Int, frames: Int, time: AudioTimeStamp
    ) -> Int {
        var slice = RenderSlice(
            time: AudioTimeStamp(sampleTime: position, hostTime: time.hostTime), element: source.element,
            frames: frames, format: source.format, data: data, channelByteStride: channelByteStride)
        position &+= Int64(frames)
        if source.isApplication { clear(data, channelByteStride: channelByteStride, frames: frames) }
        CallSite.call(function, context, &slice)
        if slice.outputIsSilence { return 0 }
        let filled = max(0, min(frames, slice.producedFrames))
        if filled < frames {
            meters.pointee.shortFills.wrappingAdd(1, ordering: .relaxed)
            meters.pointee.zeroFilledFrames.wrappingAdd(frames &- filled, ordering: .relaxed)
        }
        return filled
    }

    @_noLocks
    private func clear(_ data: UnsafeMutableRawPointer, channelByteStride: Int, frames: Int) {
        let format = source.format
        guard !format.interleaved else {
            data.initializeMemory(as: UInt8.self, repeating: 0, count: format.byteCount(frames: frames))
            return
        }
        for channel in 0..<format.channels {
            (data + channel &* channelByteStride).initializeMemory(
                as: UInt8.self, repeating: 0, count: frames &* format.sampleType.bytes)
        }
    }
}

/// A ramp of 5 ms over a source that is taken away or just came.
struct SlotFade: BitwiseCopyable {
    enum Direction: BitwiseCopyable { case out, `in`, none }

    private var direction = Direction.none
    private var done = 0
    private var length = 0

    @_noLocks
    init() {}

    @_noLocks
    init(_ direction: Direction, sampleRate: Double) {
        self.direction = direction
        length = Int(sampleRate) / 200
    }

    var isOver: Bool { @_noLocks get { done >= length } }

    /// The fade out that begins at this fade's gain; the ramp is symmetric.
    @_noLocks
    func turnedOut(sampleRate: Double) -> SlotFade {
        var out = SlotFade(.out, sampleRate: sampleRate)
        if case .in = direction { out.done = length &- done }
        return out
    }

    @_noLocks
    mutating func apply(_ target: UnsafeMutablePointer<Float>, channels: Int, stride: Int, frames: Int) {
        let isOut: Bool
        switch direction {
        case .none: return
        case .out: isOut = true
        case .in: isOut = false
        }
        for channel in 0..<channels {
            let run = target + channel &* stride
            for index in 0..<frames {
                let place = min(done &+ index, length)
                let x = Float(place) / Float(length)
                let gain = x * x * (3 - 2 * x)
                run[index] *= isOut ? 1 - gain : gain
            }
        }
        done = min(done &+ frames, length)
        if !isOut, done >= length { direction = .none }
    }
}
