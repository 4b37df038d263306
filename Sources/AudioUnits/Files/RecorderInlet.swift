import Realtime
import Synchronization

/// The render thread's end of a recording: interleaves a slice and puts it into the ring.
struct RecorderInlet: ~Copyable {
    private let owner: RecorderCounter
    private let lost: UnsafeMutablePointer<Atomic<Int>>
    private var ring: RingProducer<Float>
    private let channels: Int
    private let maximumFrames: Int
    private let planes: Planes
    private let interleaved: UnsafeMutablePointer<Float>

    init(_ ring: consuming RingProducer<Float>, channels: Int, maximumFrames: Int, lost: RecorderCounter) {
        owner = lost
        self.lost = lost.place
        self.ring = ring
        self.channels = channels
        self.maximumFrames = maximumFrames
        planes = Planes(channels: channels, stride: maximumFrames)
        interleaved = cleared(channels * maximumFrames)
    }

    deinit {
        planes.free()
        interleaved.deallocate()
    }

    /// Takes a slice of any sample type and layout; silence is recorded as such.
    @_noLocks
    mutating func take(_ slice: RenderSlice) {
        let frames = slice.frames
        guard slice.format.channels == channels, frames <= maximumFrames else { return lose(frames) }
        let filled = slice.outputIsSilence ? 0 : max(0, min(frames, slice.producedFrames))
        SampleCoder.unpack(
            slice.data, format: slice.format, channelByteStride: slice.channelByteStride, frames: filled,
            into: planes.base, stride: planes.stride)
        for channel in 0..<channels {
            let source = planes.base + channel &* planes.stride
            for frame in 0..<filled { interleaved[frame &* channels &+ channel] = source[frame] }
        }
        zero(interleaved + filled &* channels, frames: (frames &- filled) &* channels)
        put(frames)
    }

    /// Takes all frames of an input in a format of interleaved Float32, or mono.
    @_noLocks
    mutating func take(_ notice: InputNotice) {
        guard notice.format.channels == channels else { return lose(notice.frames) }
        var done = 0
        while done < notice.frames {
            let got = notice.render(into: interleaved, frames: min(notice.frames &- done, maximumFrames))
            guard got > 0 else { return lose(notice.frames &- done) }
            put(got)
            done &+= got
        }
    }

    @_noLocks
    private mutating func put(_ frames: Int) {
        let room = ring.room(wanted: frames &* channels) / channels
        let count = min(frames, room)
        _ = ring.write(interleaved, count: count &* channels)
        if count < frames { lose(frames &- count) }
    }

    @_noLocks
    private func lose(_ frames: Int) { lost.pointee.wrappingAdd(frames, ordering: .relaxed) }
}

extension FileRecorder {
    /// Hears the input of an I/O unit whose format for element 1 is interleaved Float32 with the recording's rate and
    /// channels; `maximumFrames` is the unit's maximum frames per slice, 1 ... 16,777,216.
    public func makeInputHandler(maximumFrames: Int) throws(AudioUnitError) -> InputHandler {
        let box = RecorderInletBox(try makeInlet(maximumFrames: maximumFrames))
        return InputHandler(context: UnsafeMutableRawPointer(box.place), owner: box) { context, notice in
            context.assumingMemoryBound(to: RecorderInlet.self).pointee
                .take(notice.assumingMemoryBound(to: InputNotice.self).pointee)
        }
    }

    /// Hears what a unit renders, without being in the chain: its output must have the recording's rate and channels, and
    /// `maximumFrames` be the unit's, 1 ... 16,777,216.
    public func makeObserver(maximumFrames: Int) throws(AudioUnitError) -> RenderObserver {
        let box = RecorderInletBox(try makeInlet(maximumFrames: maximumFrames))
        return RenderObserver(context: UnsafeMutableRawPointer(box.place), owner: box) { context, isAfter, slice in
            guard isAfter else { return }
            context.assumingMemoryBound(to: RecorderInlet.self).pointee
                .take(slice.assumingMemoryBound(to: RenderSlice.self).pointee)
        }
    }
}

/// Keeps an inlet where a C function finds it.
///
/// Sendable: the address is constant; the inlet there is the render thread's until nobody holds the box.
private final class RecorderInletBox: @unchecked Sendable {
    let place: UnsafeMutablePointer<RecorderInlet>

    init(_ inlet: consuming RecorderInlet) {
        place = .allocate(capacity: 1)
        place.initialize(to: inlet)
    }

    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
