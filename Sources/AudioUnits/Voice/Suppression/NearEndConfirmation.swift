/// Confirms that somebody at the near end was heard lately: louder than all the echo there could be.
///
/// A loudspeaker that distorts leaves as much as a talker does, but never more than it plays, and nothing in the far end's
/// pauses; a talker comes out on top of the echo several times a second, for no two speak in step.
package struct NearEndConfirmation: BitwiseCopyable {
    /// Whether it was so within the last seconds.
    package private(set) var isConfirmed = false
    private var run = 0
    private var age = 0
    private var tail: RoomTail
    private let tuning: ConfirmationTuning
    private let tailTuning: RoomTailTuning
    private var tailIsAudible = false
    /// Blocks since somebody was over the tail.
    private var unheard = Int.max / 2

    /// Nobody was heard yet.
    @_noLocks
    package init(
        tuning: ConfirmationTuning = ConfirmationTuning(), tail: RoomTailTuning = RoomTailTuning()
    ) {
        self.tuning = tuning
        tailTuning = tail
        self.tail = RoomTail(tuning: tail)
    }

    /// Whether somebody is over the room's tail, or was within a pause between syllables.
    package var isHeard: Bool {
        @_noLocks get { unheard <= tuning.longestPause }
    }

    /// Whether the echo has ended and all that is heard may be the room's tail after it.
    package var mayBeTail: Bool {
        @_noLocks get { tailIsAudible && tail.isAlone && !isHeard }
    }

    /// The filters started anew: what was heard before may have been echo.
    @_noLocks
    package mutating func restart() {
        self = NearEndConfirmation(tuning: tuning, tail: tailTuning)
    }

    /// Takes in powers of a block, one a bin: what the filters left, the whole echo by the reference, noise.
    @_noLocks
    package mutating func update(
        residual: UnsafePointer<Float>, echo: UnsafePointer<Float>, noise: UnsafePointer<Float>, bins: Range<Int>
    ) {
        let count = bins.count
        let left = sum(residual + bins.lowerBound, count: count)
        let quiet = sum(noise + bins.lowerBound, count: count)
        tail.update(sum(echo + bins.lowerBound, count: count))
        tailIsAudible = tuning.overEcho * tail.power > tuning.noiseMargin * quiet
        let isOver = left - tuning.noiseMargin * quiet > tuning.overEcho * tail.power
        run = isOver && left > tuning.overNoise * quiet ? min(run &+ 1, tuning.blocks) : 0
        if run == tuning.blocks {
            isConfirmed = true
            age = 0
        } else if isConfirmed {
            age &+= 1
            isConfirmed = age < tuning.memory
        }
        unheard = run == tuning.blocks ? 0 : min(unheard &+ 1, 1_000_000)
    }
}
