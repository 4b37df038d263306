/// When a sound server's blocks come, so that one look at each finds all of it: a block arrives in pieces, and who is woken by each
/// piece wakes several times where once is enough. It knows no clock.
///
/// The socket tells when a block comes until two in a row were alike, and as far apart as they are long. From then on the next one is looked for
/// when it should be there, a little earlier each time, so that the moment just after it is never lost. A block that is not there then
/// is waited for at the socket again.
package struct BlockRhythm: BitwiseCopyable {
    /// How much earlier each look is than a block after the one before, in nanoseconds. A device's clock is off by less.
    package static let creep: Int64 = 10_000
    /// So much a block may come before or after its time and the rhythm still holds, in nanoseconds.
    package static let tolerance: Int64 = 600_000
    /// Once the first piece of a block is there the others come within this, in nanoseconds.
    package static let settling: Int64 = 300_000

    private var isKnown = false
    private var time: Int64 = 0
    private var last: Int64 = 0
    /// How long the blocks are that are looked for, and how long the latest was that was waited for; 0: none since the last look in vain.
    private var block: Int64 = 0
    private var previous: Int64 = 0

    /// Nothing has come yet.
    @_noLocks
    package init() {}

    /// When to look for the next block, in nanoseconds of the clock that the looks are told by; nil: it is to be waited for.
    package var due: Int64? { @_noLocks get { isKnown ? time : nil } }

    /// When the next block should be there, as far as the latest one tells.
    package var expected: Int64 { @_noLocks get { time } }

    /// Somebody looks at what has come, when it is due or for another reason.
    /// - Parameters:
    ///   - sound: how much has come since the last look that took something, in nanoseconds.
    ///   - now: when.
    /// - Returns: whether it is to be taken: it is a block, or more. The rest of a part is on its way.
    @_noLocks
    package mutating func look(_ sound: Int64, at now: Int64) -> Bool {
        guard isKnown else { return wasWaitedFor(sound, now) }
        if sound < block / 4 &* 3 {
            if now >= time { forget() }
            return false
        }
        let isPunctual = now &- time < Self.tolerance
        let passed = now &- last
        last = now
        time = time &+ sound &- Self.creep
        // More at once than time has passed, though it was looked for block by block: the looks are too late by one of them.
        if !isPunctual || time > now &+ passed &+ Self.tolerance { forget() }
        return true
    }

    /// The socket told that something is there.
    @_noLocks
    private mutating func wasWaitedFor(_ sound: Int64, _ now: Int64) -> Bool {
        if sound <= 0 { return false }
        let error = now &- last &- sound
        let isAlike = sound > previous / 4 &* 3 && sound < previous / 4 &* 5
        isKnown = isAlike && error < Self.tolerance && error > -Self.tolerance
        last = now
        time = now &+ sound &- Self.creep
        (block, previous) = (sound, sound)
        return true
    }

    @_noLocks
    private mutating func forget() {
        isKnown = false
        previous = 0
    }
}
