/// Whether somebody at the near end was heard beyond doubt lately: louder than all the echo there could be.
///
/// A loudspeaker that distorts leaves as much as a talker does, but never more than it plays, and nothing in the far end's
/// pauses; a talker comes out on top of the echo several times a second, for no two speak in step.
package struct NearEndProof: BitwiseCopyable {
    /// Whether it was so within the last seconds.
    package private(set) var isGiven = false
    private var run = 0
    private var age = 0
    private var tail = RoomTail()
    private var tailIsAudible = false
    /// Blocks since somebody was over the tail.
    private var unheard = Int.max / 2

    /// How far what is left must be over the echo, as a ratio of powers: 6 dB; over the noise, 8 dB.
    private static var overEcho: Float { @_noLocks get { 4 } }
    private static var overNoise: Float { @_noLocks get { 6 } }
    /// The noise's own ups.
    private static var noiseMargin: Float { @_noLocks get { 2 } }
    /// Blocks that it must be so: clicks, and reflections that outlast the echo's estimate, are shorter.
    private static var blocks: Int { @_noLocks get { 3 } }
    /// Blocks that it holds: 5 s, longer than anybody keeps silent within a turn.
    private static var memory: Int { @_noLocks get { 500 } }
    /// Blocks between the syllables of somebody who is over the tail.
    private static var longestPause: Int { @_noLocks get { 20 } }

    /// Nobody was heard yet.
    @_noLocks
    package init() {}

    /// Whether somebody is over the room's tail, or was within a pause between syllables.
    package var isHeard: Bool {
        @_noLocks get { unheard <= Self.longestPause }
    }

    /// Whether the echo has ended and all that is heard may be the room's tail after it.
    package var mayBeTail: Bool {
        @_noLocks get { tailIsAudible && tail.isAlone && !isHeard }
    }

    /// The filters started anew: what was heard before may have been echo.
    @_noLocks
    package mutating func restart() { self = NearEndProof() }

    /// Takes in powers of a block, one a bin: what the filters left, the whole echo by the reference, noise.
    @_noLocks
    package mutating func update(
        residual: UnsafePointer<Float>, echo: UnsafePointer<Float>, noise: UnsafePointer<Float>, bins: Range<Int>
    ) {
        let count = bins.count
        let left = sum(residual + bins.lowerBound, count: count)
        let quiet = sum(noise + bins.lowerBound, count: count)
        tail.update(sum(echo + bins.lowerBound, count: count))
        tailIsAudible = Self.overEcho * tail.power > Self.noiseMargin * quiet
        let isOver = left - Self.noiseMargin * quiet > Self.overEcho * tail.power
        run = isOver && left > Self.overNoise * quiet ? min(run &+ 1, Self.blocks) : 0
        if run == Self.blocks {
            isGiven = true
            age = 0
        } else if isGiven {
            age &+= 1
            isGiven = age < Self.memory
        }
        unheard = run == Self.blocks ? 0 : min(unheard &+ 1, 1_000_000)
    }
}
