import Realtime

/// What the playback thread tells the media thread after each turn.
@frozen
package struct PlayoutTiming: BitwiseCopyable, Sendable {
    /// The next sample the thread will take, and when it will be heard; `frames` is what the last turn asked for.
    package var stream: StreamTiming
    /// Samples that were asked for while the ring was empty, since the first sound.
    package var missing: Int64

    @_noLocks
    package init(stream: StreamTiming, missing: Int64) {
        self.stream = stream
        self.missing = missing
    }
}
