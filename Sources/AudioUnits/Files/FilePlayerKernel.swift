import Realtime
import Synchronization

/// The render side of a file player: takes frames out of the ring, silence where there are none.
///
/// Pause, going on, a seek and what follows an underrun fade over 5 ms; a start from the beginning does not, so that the
/// first sample is the file's first.
struct FilePlayerKernel: ~Copyable {
    private let box: FilePlayerStateBox
    private let state: UnsafeMutablePointer<FilePlayerState>
    private var ring: RingConsumer<Float>
    private let channels: Int
    private let scratch: UnsafeMutablePointer<Float>
    private let scratchFrames: Int
    /// Gain of a fade, 0 ... 1.
    private var level: Float = 1
    private let step: Float
    private var consumed = 0
    /// Whether anything was to be heard yet.
    private var hasBegun = false
    /// Until a new place's first frames are there, a lack of them is no underrun.
    private var waitsForPlace = true
    /// From an underrun until the disk has caught up.
    private var isStarved = false
    private var hasEnded = false

    init(_ layout: UnitLayout, ring: consuming RingConsumer<Float>, box: FilePlayerStateBox) {
        self.box = box
        state = box.place
        self.ring = ring
        channels = layout.output.channels
        scratchFrames = layout.maximumFrames
        scratch = cleared(layout.maximumFrames * layout.output.channels)
        step = 1 / Float(max(1, Int(layout.output.sampleRate) / 200))
    }

    deinit { scratch.deallocate() }

    @_noLocks
    mutating func render(_ slice: inout RenderSlice) {
        var done = skip(slice)
        let isPlaying = state.pointee.isPlaying.load(ordering: .acquiring)
        if isPlaying { hasBegun = true }
        if hasBegun, consumed >= state.pointee.discardUntil.load(ordering: .acquiring) {
            done &+= take(slice, from: done, limit: slice.frames, towards: isPlaying ? 1 : 0)
            if isPlaying, done < slice.frames { lack(slice.frames &- done) }
        }
        for channel in 0..<channels where done < slice.frames {
            zero(slice.channel(channel) + done, frames: slice.frames &- done)
        }
        if done == 0 { slice.outputIsSilence = true }
        state.pointee.consumed.store(consumed, ordering: .releasing)
    }

    /// Leaves the place of before a seek: what is heard of it fades out, the rest is thrown away.
    /// - Returns: frames rendered.
    @_noLocks
    private mutating func skip(_ slice: RenderSlice) -> Int {
        let target = state.pointee.discardUntil.load(ordering: .acquiring)
        guard consumed < target else { return 0 }
        var done = 0
        if level > 0, hasBegun { done = take(slice, from: 0, limit: min(slice.frames, target &- consumed), towards: 0) }
        if done < slice.frames || level <= 0 {
            drop(min(target &- consumed, ring.available(wanted: Int(ring.capacity)) / channels))
            level = consumed == target && done == 0 && level > 0 ? level : 0
            waitsForPlace = true
        }
        return done
    }

    @_noLocks
    private mutating func drop(_ frames: Int) {
        guard frames > 0 else { return }
        ring.consume(frames &* channels)
        consumed &+= frames
    }

    /// Renders frames from the ring into the slice while the fade goes towards `goal`; nothing more once it is at 0.
    @_noLocks
    private mutating func take(_ slice: RenderSlice, from start: Int, limit: Int, towards goal: Float) -> Int {
        guard goal > 0 || level > 0 else { return 0 }
        var wanted = min(limit &- start, scratchFrames)
        if goal <= 0 { wanted = min(wanted, Int(level / step) &+ 1) }
        let waiting = ring.available(wanted: wanted &* channels) / channels
        let count = min(wanted, waiting)
        guard count > 0 else { return 0 }
        _ = ring.read(into: scratch, count: count &* channels)
        consumed &+= count
        waitsForPlace = false
        isStarved = false
        tellEnd(false)
        for channel in 0..<channels {
            let target = slice.channel(channel) + start
            for frame in 0..<count { target[frame] = scratch[frame &* channels &+ channel] }
        }
        if level != goal { fade(slice, from: start, frames: count, towards: goal) }
        return count
    }

    @_noLocks
    private mutating func fade(_ slice: RenderSlice, from start: Int, frames: Int, towards goal: Float) {
        let change = goal > level ? step : -step
        for frame in 0..<frames {
            level += change
            if change > 0 ? level > goal : level < goal { level = goal }
            for channel in 0..<channels { slice.channel(channel)[start &+ frame] *= level }
        }
    }

    /// The end is over when a seek brings sound again, whatever was told in between.
    @_noLocks
    private mutating func tellEnd(_ isOver: Bool) {
        guard isOver || hasEnded else { return }
        hasEnded = isOver
        state.pointee.hasEnded.store(isOver, ordering: .releasing)
    }

    /// Fewer frames than asked for: the end, or a disk that is too slow.
    @_noLocks
    private mutating func lack(_ frames: Int) {
        if consumed >= state.pointee.end.load(ordering: .acquiring) {
            tellEnd(true)
        } else if !waitsForPlace {
            if !isStarved { state.pointee.underruns.wrappingAdd(1, ordering: .relaxed) }
            state.pointee.underrunFrames.wrappingAdd(frames, ordering: .relaxed)
            isStarved = true
            level = 0
        }
    }
}
