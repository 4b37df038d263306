import RTP
import Realtime

/// Whether somebody else uses our SSRC, or our own packets come back: RFC 3550 section 8.2.
///
/// Both look alike at first, so we change our SSRC once; what still comes back under the new one is a loop, and going on
/// would mean to run in circles.
struct SourceCollision {
    /// Ten report intervals, after which the RFC forgets a conflict, in milliseconds.
    static let memoryMilliseconds = 50_000.0

    /// When a packet last bore our SSRC.
    private var lastSeen: HostTime?
    private var isPending = false

    /// A packet bore our SSRC.
    mutating func note(at time: HostTime) {
        if lastSeen.map({ time.milliseconds(since: $0) >= Self.memoryMilliseconds }) ?? true { isPending = true }
        lastSeen = time
    }

    /// Whether the SSRC is to be changed now; asked once, it is no more.
    mutating func takeIsPending() -> Bool {
        defer { isPending = false }
        return isPending
    }

    /// The next SSRC of a call. The seed alone will not do: it may be what both sides have in common.
    func replacement(seed: UInt64) -> UInt32 {
        var random = SplitMix64(seed: seed ^ UInt64(bitPattern: lastSeen?.nanoseconds ?? 0))
        return UInt32(truncatingIfNeeded: random.next() >> 32)
    }
}
