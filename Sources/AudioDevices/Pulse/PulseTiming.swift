import Realtime

/// What a sound server told last of a stream, and how long ago it told that.
///
/// libpulse's own figure (`pa_stream_get_latency`) takes, for a loudspeaker, the moment at which an answer is read for the one at which
/// the server gave it. Who sleeps until the next block should be there, as `PulseLoop` does, reads it nearly a block later, and would
/// count that block twice. For a microphone it takes ten seconds to find its way to what such answers say. Each answer says when it was
/// given: since then the device has gone on.
package struct PulseTiming: BitwiseCopyable {
    /// An older answer says nothing, in nanoseconds: the server is asked at least every 1.5 s.
    package static let longestAnswer: Int64 = 5_000_000_000
    /// Nor does a device that keeps more than this, or a stream of which more is queued, in nanoseconds.
    package static let longestDelay: Int64 = 60_000_000_000

    private let queued: Int64
    private let device: Int64
    private let answered: Int64

    /// An answer of the server.
    /// - Parameters:
    ///   - queued: what was written until now and the sink had not taken then, or what the source had captured then and is not read now,
    ///     in nanoseconds; negative: so much more was taken, or read.
    ///   - device: for how long the device keeps sound beside, in nanoseconds; negative: a monitor hears what is not played yet.
    ///   - answered: how long ago the server told that, in nanoseconds, by the clock that both have.
    @_noLocks
    package init(queued: Int64, device: Int64, answered: Int64) {
        (self.queued, self.device, self.answered) = (queued, device, answered)
    }

    /// Nanoseconds until what is written next is heard; negative: so long ago it would have been. nil: not known, since the answer is too
    /// old, the clock was set, or the server is mad.
    package var delay: Int64? { @_noLocks get { isSane ? queued &+ device &- answered : nil } }

    /// Nanoseconds since what is read next was at the microphone; negative: it will be so much later. nil: likewise.
    package var age: Int64? { @_noLocks get { isSane ? queued &+ device &+ answered : nil } }

    private var isSane: Bool {
        @_noLocks get {
            let most = Self.longestDelay
            return answered >= 0 && answered <= Self.longestAnswer && device >= 0 &- most && device <= most
                && queued >= 0 &- most && queued <= most
        }
    }
}
