/// Both directions on one thread, for long periods: what the microphone has, and with it what the loudspeaker needs.
///
/// With two threads each period wakes the processor twice, and to wake from idle costs more than all there is to do then. The
/// price is that a block is played up to `mostEarly` of a period before it must be, so short periods, which are for the delay,
/// keep their two threads. Where the microphone is late, lost or at another pace, the loudspeaker has turns of its own.
struct ALSADuplexLoop: ~Copyable {
    private var capture: ALSACaptureLoop
    private var playback: ALSAPlaybackLoop

    /// Shortest period of directions that share a thread, in milliseconds.
    static let leastPeriodMilliseconds = 15.0

    init(capture: consuming ALSACaptureLoop, playback: consuming ALSAPlaybackLoop) {
        self.capture = capture
        self.playback = playback
    }

    /// Whether streams of these shapes share a thread.
    static func suits(_ capture: ALSAStream, _ playback: ALSAStream) -> Bool {
        min(capture.periodMilliseconds, playback.periodMilliseconds) >= leastPeriodMilliseconds
    }

    /// Runs until the lines stop.
    mutating func run() {
        playback.start()
        capture.start()
        while !capture.isStopping && !playback.isStopping {
            let isReady = capture.wait(until: playback.due)
            // The loudspeaker first: it takes what waits, and the media thread, which the microphone wakes, replaces it.
            if isReady { playback.step(atCapture: true) }
            capture.step(isReady)
            playback.step(atCapture: false)
        }
        capture.finish()
        playback.finish()
    }
}
