import AudioUnits
import Media
import Realtime

/// The capture thread's end of the `captureRing`: takes what the unit's input element rendered and leaves it there.
///
/// Runs inside the render scope. It wakes the media thread once a frame, not once a block: the media thread has nothing
/// to do before a frame is whole.
struct CaptureInlet: ~Copyable {
    private var ring: RingProducer<Float>
    private var timing: TripleBufferWriter<StreamTiming>
    private let bell: BellCord
    private let frameLength: Int
    private let sampleRate: Int
    private let block: UnsafeMutablePointer<Float>
    private let blockCapacity: Int
    private var written: Int64 = 0
    private var unannounced = 0
    /// Samples that found the ring full: the media thread was away for longer than the ring holds.
    private(set) var dropped: Int64 = 0

    init(
        ring: consuming RingProducer<Float>, timing: consuming TripleBufferWriter<StreamTiming>, bell: BellCord,
        frameLength: Int, sampleRate: Int, maximumFrames: Int
    ) {
        self.ring = ring
        self.timing = timing
        self.bell = bell
        self.frameLength = frameLength
        self.sampleRate = max(1, sampleRate)
        blockCapacity = maximumFrames
        block = .allocate(capacity: maximumFrames)
        block.initialize(repeating: 0, count: maximumFrames)
    }

    deinit { block.deallocate() }

    /// One turn of the capture thread.
    @_noLocks
    mutating func take(_ notice: InputNotice) {
        let frames = notice.frames < blockCapacity ? notice.frames : blockCapacity
        let rendered = notice.render(into: block, frames: frames)
        let kept = ring.write(block, count: rendered)
        let lost = Int64(rendered &- kept)
        dropped &+= lost
        // What is kept next is heard right after what was lost.
        let time = HostTime(
            nanoseconds: notice.time.hostTime.nanoseconds &+ lost &* 1_000_000_000 / Int64(sampleRate))
        timing.publish(StreamTiming(sampleIndex: written, hostTime: time, frames: rendered))
        written &+= Int64(kept)
        unannounced &+= kept
        if unannounced >= frameLength {
            unannounced %= frameLength
            bell.ring()
        }
    }
}
