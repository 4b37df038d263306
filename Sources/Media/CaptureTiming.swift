import Realtime

/// What the capture thread tells the media thread after each turn.
@frozen
package struct CaptureTiming: BitwiseCopyable, Sendable {
    /// The latest block; its sample counts those that are there.
    package var stream: StreamTiming
    /// Samples that will never be had, since the start: nobody took them from the device, or the ring was full.
    package var lost: Int64
    /// The sample before which the latest of them are missing.
    package var lostAt: Int64

    @_noLocks
    package init(stream: StreamTiming, lost: Int64 = 0, lostAt: Int64 = 0) {
        self.stream = stream
        self.lost = lost
        self.lostAt = lostAt
    }
}
