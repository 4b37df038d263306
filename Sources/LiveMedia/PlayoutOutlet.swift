import AudioUnits
import Media
import Realtime

/// The playback thread's end of the `playoutRing`: hands the unit what it asks for, silence where the ring is short.
///
/// Runs inside the render scope. After a turn that took little, or found too little, it wakes the media thread, which fills the
/// ring again; for longer blocks that thread comes by itself (`PlayoutSchedule`), unless it was waited for: then its plan is old.
struct PlayoutOutlet: ~Copyable {
    private var ring: RingConsumer<Float>
    private var timing: TripleBufferWriter<PlayoutTiming>
    private let bell: BellCord
    private let nanosecondsPerFrame: Int64
    /// Samples of a frame in the ring.
    private let channels: Int
    private var consumed: Int64 = 0
    private var missing: Int64 = 0
    private var hasStarted = false
    private var hasWaited = false

    init(
        ring: consuming RingConsumer<Float>, timing: consuming TripleBufferWriter<PlayoutTiming>, bell: BellCord,
        sampleRate: Int, channels: Int = 1
    ) {
        self.ring = ring
        self.timing = timing
        self.bell = bell
        self.channels = channels
        nanosecondsPerFrame = 1_000_000_000 / Int64(sampleRate)
    }

    /// Whether the media thread has filled in what the next turn takes; before the first sound there is nothing to wait for.
    @_noLocks
    mutating func isReady(_ frames: Int) -> Bool {
        let isReady = !hasStarted || ring.available(wanted: frames &* channels) >= frames &* channels
        if !isReady { hasWaited = true }
        return isReady
    }

    /// One turn of the playback thread.
    @_noLocks
    mutating func give(_ slice: inout RenderSlice) {
        let taken = ring.read(into: slice.buffer, count: slice.frames &* channels) / channels
        slice.producedFrames = taken
        if taken > 0 { hasStarted = true }
        if hasStarted { missing &+= Int64(slice.frames &- taken) }
        consumed &+= Int64(taken)
        // The next sample is heard right after this block, also when the block was short.
        let next = HostTime(nanoseconds: slice.time.hostTime.nanoseconds &+ Int64(slice.frames) &* nanosecondsPerFrame)
        let stream = StreamTiming(sampleIndex: consumed, hostTime: next, frames: slice.frames)
        timing.publish(PlayoutTiming(stream: stream, missing: missing))
        let isShort = Int64(slice.frames) &* nanosecondsPerFrame <= PlayoutSchedule.promptNanoseconds
        if taken < slice.frames || isShort || hasWaited { bell.ring() }
        hasWaited = false
    }
}
