import AudioUnits
import Media
import Realtime

/// The capture thread's end of the `captureRing`: takes what the unit's input element rendered and leaves it there.
///
/// Runs inside the render scope. It wakes the media thread once a frame, not once a block: the media thread has nothing
/// to do before a frame is whole. Time in which nobody took what the microphone heard is told as well: the sound goes on after it,
/// and so must its time stamps.
struct CaptureInlet: ~Copyable {
    private var ring: RingProducer<Float>
    private var timing: TripleBufferWriter<CaptureTiming>
    private let bell: BellCord
    private let frameLength: Int
    private let block: UnsafeMutablePointer<Float>
    private let blockCapacity: Int
    private var written: Int64 = 0
    private var unannounced = 0
    private var lost: Int64 = 0
    private var lostAt: Int64 = 0
    /// Host time at which the next block should begin, in nanoseconds; nil: not known.
    private var expected: Int64?
    private let nanosecondsPerFrame: Double

    /// Stamps move by less than that while nothing is missing, in nanoseconds.
    private static let leastHole: Int64 = 100_000_000
    /// Whoever was away for longer, in nanoseconds, has another clock now.
    private static let longestHole: Int64 = 3_600_000_000_000

    init(
        ring: consuming RingProducer<Float>, timing: consuming TripleBufferWriter<CaptureTiming>, bell: BellCord,
        sampleRate: Int, frameLength: Int, maximumFrames: Int
    ) {
        nanosecondsPerFrame = 1e9 / Double(sampleRate)
        self.ring = ring
        self.timing = timing
        self.bell = bell
        self.frameLength = frameLength
        blockCapacity = maximumFrames
        block = .allocate(capacity: maximumFrames)
        block.initialize(repeating: 0, count: maximumFrames)
    }

    deinit { block.deallocate() }

    /// One turn of the capture thread.
    @_noLocks
    mutating func take(_ notice: InputNotice) {
        let frames = notice.frames < blockCapacity ? notice.frames : blockCapacity
        noteHole(before: notice.time.hostTime.nanoseconds)
        let rendered = notice.render(into: block, frames: frames)
        expected = notice.time.hostTime.nanoseconds &+ Int64(Double(rendered) * nanosecondsPerFrame)
        let kept = ring.write(block, count: rendered)
        let first = written
        written &+= Int64(kept)
        // The media thread was away for longer than the ring holds.
        if kept < rendered { lose(Int64(rendered &- kept)) }
        timing.publish(
            CaptureTiming(
                stream: StreamTiming(sampleIndex: first, hostTime: notice.time.hostTime, frames: rendered), lost: lost,
                lostAt: lostAt))
        unannounced &+= kept
        if unannounced >= frameLength {
            unannounced %= frameLength
            bell.ring()
        }
    }

    /// What lies between the last block and one that begins at `time` is gone. A device without times says 0.
    @_noLocks
    private mutating func noteHole(before time: Int64) {
        guard let expected, time != 0 else { return }
        let hole = time &- expected
        guard hole >= Self.leastHole, hole <= Self.longestHole else { return }
        lose(Int64(Double(hole) / nanosecondsPerFrame))
    }

    @_noLocks
    private mutating func lose(_ samples: Int64) {
        lost &+= samples
        lostAt = written
    }
}
