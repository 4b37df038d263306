import Realtime

/// What a sound server told last of a stream that plays, and how long ago it told that.
///
/// libpulse's own figure (`pa_stream_get_latency`) takes the moment at which an answer is read for the one at which the server gave it.
/// Who sleeps until the next block should be there, as `PulseLoop` does, reads it nearly a block later, and would count that block twice.
/// Each answer says when it was given: since then the loudspeaker has played on.
package struct PulseTiming: BitwiseCopyable {
    /// An older answer says nothing, in nanoseconds: the server is asked at least every 1.5 s.
    package static let longestAge: Int64 = 5_000_000_000

    /// Nor does a sink that keeps more than this, or a stream of which more is queued, in nanoseconds.
    package static let longestDelay: Int64 = 60_000_000_000

    private let queued: Int64
    private let sink: Int64
    private let age: Int64

    /// An answer of the server.
    /// - Parameters:
    ///   - queued: what was written until now and the sink had not taken then, in nanoseconds; negative: it had taken so much more.
    ///   - sink: how long until the loudspeaker has played what the sink had taken, in nanoseconds.
    ///   - age: how long ago the server told that, in nanoseconds, by the clock that both have.
    @_noLocks
    package init(queued: Int64, sink: Int64, age: Int64) {
        (self.queued, self.sink, self.age) = (queued, sink, age)
    }

    /// Nanoseconds until what is written next is heard; negative: so long ago it would have been. nil: not known, since the answer is too
    /// old, the clock was set, or the server is mad.
    package var delay: Int64? {
        @_noLocks get {
            let most = Self.longestDelay
            guard age >= 0, age <= Self.longestAge, sink >= 0, sink <= most, queued >= 0 &- most, queued <= most else {
                return nil
            }
            return queued &+ sink &- age
        }
    }
}
