import Realtime

/// When the play-out ring is filled again for a device that takes long blocks.
///
/// What waits in the ring is delay, and each look after it costs a wake-up. So the media thread comes when it has a frame to send
/// anyway, or just before the next block is taken. Blocks of 10 ms and less are replaced at once: there is no time to lose.
package enum PlayoutSchedule {
    /// Longest block that is replaced at once, in nanoseconds.
    package static var promptNanoseconds: Int64 { @_noLocks get { 10_000_000 } }
    /// How long before a block is taken it is there, in milliseconds: what the media thread may be late.
    package static let leadMilliseconds = 4.0
    /// A block is never replaced sooner than this after it was taken, in milliseconds.
    private static let leastWaitMilliseconds = 2.0

    /// When to fill a ring again that was just filled; nil where whoever takes a block calls for the next.
    ///
    /// - Parameters:
    ///   - next: when the playback thread takes the next block, which is in the ring.
    ///   - block: milliseconds it takes at a time.
    ///   - margin: milliseconds to come sooner, since the ring ran dry.
    package static func refill(next: HostTime, block: Double, margin: Double, now: HostTime) -> HostTime? {
        guard block * 1e6 > Double(promptNanoseconds) else { return nil }
        let lead = min(leadMilliseconds + margin, block - leastWaitMilliseconds)
        return max(next, now).advanced(byMilliseconds: block - lead)
    }
}
