import Realtime
import Synchronization

/// A queue on the render thread:
/// ```
/// buffers -> (tap) -> effect -> (tap) -> slice
/// ```
/// Nothing of the kernel itself changes while it renders: a tap calls back into it for source audio.
struct QueueKernel: ~Copyable {
    private let session: QueueSession
    private let tap: UnsafeMutablePointer<TapSlot.State>
    private let reader: UnsafeMutablePointer<QueueReader>
    private let effect: UnsafeMutablePointer<QueueEffect>?
    /// Frames that have left the tap, and frames it took after the effect.
    private let counts: UnsafeMutablePointer<Counts>
    private let format: StreamFormat
    private let maximumFrames: Int

    private struct Counts {
        var tapped: Int64 = 0
        var affected: Int64 = 0
        var tap: UnsafePointer<TapSlot.Head>?
    }

    init(
        _ layout: UnitLayout, session: QueueSession, reader: UnsafeMutablePointer<QueueReader>,
        effect: consuming QueueEffect?
    ) {
        self.session = session
        tap = session.tap.state
        self.reader = reader
        if let effect {
            let place = UnsafeMutablePointer<QueueEffect>.allocate(capacity: 1)
            place.initialize(to: effect)
            self.effect = place
        } else {
            self.effect = nil
        }
        counts = .allocate(capacity: 1)
        counts.initialize(to: Counts())
        format = layout.output
        maximumFrames = layout.maximumFrames
    }

    deinit {
        reader.deinitialize(count: 1)
        reader.deallocate()
        effect?.deinitialize(count: 1)
        effect?.deallocate()
        counts.deallocate()
    }

    @_noLocks
    static func render(_ kernel: UnsafeMutablePointer<QueueKernel>, _ slice: inout RenderSlice) {
        let counts = kernel.pointee.counts
        counts.pointee.tap = kernel.pointee.tap.pointee.begin()
        let stride = slice.channelByteStride / MemoryLayout<Float>.stride
        let count: Int
        if let tap = counts.pointee.tap, !tap.pointee.isBefore {
            count = tapped(
                kernel, tap, into: slice.buffer, stride: stride, frames: slice.frames, heardAt: slice.time.hostTime)
        } else {
            count = affected(
                kernel, into: slice.buffer, stride: stride, frames: slice.frames, heardAt: slice.time.hostTime)
        }
        if count == 0 { slice.outputIsSilence = true }
        for channel in 0..<slice.format.channels {
            zero(slice.buffer + (channel &* stride &+ count), frames: slice.frames &- count)
        }
        kernel.pointee.tap.pointee.end()
    }

    /// The sound behind the effect. Returns the frames there are.
    @_noLocks
    private static func affected(
        _ kernel: UnsafeMutablePointer<QueueKernel>, into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int,
        heardAt: HostTime
    ) -> Int {
        guard let effect = kernel.pointee.effect else {
            return fed(kernel, into: target, stride: stride, frames: frames, heardAt: heardAt)
        }
        effect.pointee.render(into: target, stride: stride, frames: frames, kernel: kernel, heardAt: heardAt)
        return frames
    }

    /// Feeds the effect: all it asks for, zeros where the queue is dry.
    @_noLocks
    static func feed(
        _ kernel: UnsafeMutablePointer<QueueKernel>, into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int,
        heardAt: HostTime
    ) {
        let count = fed(kernel, into: target, stride: stride, frames: frames, heardAt: heardAt)
        for channel in 0..<kernel.pointee.format.channels {
            zero(target + (channel &* stride &+ count), frames: frames &- count)
        }
    }

    /// The sound before the effect, in portions that a tap can take.
    @_noLocks
    private static func fed(
        _ kernel: UnsafeMutablePointer<QueueKernel>, into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int,
        heardAt: HostTime
    ) -> Int {
        guard let tap = kernel.pointee.counts.pointee.tap, tap.pointee.isBefore else {
            return kernel.pointee.reader.pointee.read(into: target, stride: stride, frames: frames)
        }
        var done = 0
        while done < frames {
            let part = min(frames &- done, kernel.pointee.maximumFrames)
            let count = tapped(kernel, tap, into: target + done, stride: stride, frames: part, heardAt: heardAt)
            done &+= count
            if count < part { break }
        }
        return done
    }

    /// One turn of the tap. Returns the frames that leave it.
    @_noLocks
    private static func tapped(
        _ kernel: UnsafeMutablePointer<QueueKernel>, _ tap: UnsafePointer<TapSlot.Head>,
        into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, heardAt: HostTime
    ) -> Int {
        let counts = kernel.pointee.counts
        let channels = kernel.pointee.format.channels
        var there = 0
        if tap.pointee.isSiphon {
            there = source(kernel, tap, into: target, stride: stride, frames: frames, heardAt: heardAt)
        }
        for channel in 0..<channels { zero(target + (channel &* stride &+ there), frames: frames &- there) }
        var slice = TapSlice(
            time: AudioTimeStamp(sampleTime: counts.pointee.tapped, hostTime: heardAt), frames: frames,
            format: kernel.pointee.format, buffer: target, channelStride: stride,
            producedFrames: tap.pointee.isSiphon ? there : frames, kernel: kernel, mayAsk: !tap.pointee.isSiphon)
        CallSite.call(tap.pointee.function, tap.pointee.context, &slice)
        let count = tap.pointee.isSiphon ? there : max(0, min(frames, slice.producedFrames))
        counts.pointee.tapped &+= Int64(count)
        return count
    }

    /// What comes before the tap.
    @_noLocks
    private static func source(
        _ kernel: UnsafeMutablePointer<QueueKernel>, _ tap: UnsafePointer<TapSlot.Head>,
        into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int, heardAt: HostTime
    ) -> Int {
        guard !tap.pointee.isBefore else {
            return kernel.pointee.reader.pointee.read(into: target, stride: stride, frames: frames)
        }
        let count = affected(kernel, into: target, stride: stride, frames: frames, heardAt: heardAt)
        kernel.pointee.counts.pointee.affected &+= Int64(count)
        return count
    }

    /// A tap's ask for source audio.
    @_noLocks
    static func sourceAudio(
        _ kernel: UnsafeMutablePointer<QueueKernel>, into target: UnsafeMutablePointer<Float>, stride: Int, frames: Int,
        heardAt: HostTime
    ) -> TapSlice.SourceAudio {
        guard let tap = kernel.pointee.counts.pointee.tap else {
            return TapSlice.SourceAudio(frames: 0, time: AudioTimeStamp(sampleTime: 0, hostTime: heardAt))
        }
        let position =
            tap.pointee.isBefore
            ? kernel.pointee.reader.pointee.position : kernel.pointee.counts.pointee.affected
        let time = AudioTimeStamp(sampleTime: position, hostTime: heardAt)
        guard frames > 0, frames <= kernel.pointee.maximumFrames else {
            return TapSlice.SourceAudio(frames: 0, time: time)
        }
        let count = source(kernel, tap, into: target, stride: stride, frames: frames, heardAt: heardAt)
        return TapSlice.SourceAudio(frames: count, time: time)
    }
}
