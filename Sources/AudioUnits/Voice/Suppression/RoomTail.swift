/// Upper bound of what rings on in the room after an echo, where no filter reaches any more.
///
/// Two slopes, the higher counts: an ordinary room's from the echo's full power on, and a hall's from a tenth of it on, which
/// is over its reverberation by the time that the first has come down so far.
package struct RoomTail: BitwiseCopyable {
    private let tuning: RoomTailTuning
    private var early: Float = 0
    private var late: Float = 0
    private var echo: Float = 0

    /// Nothing rings.
    @_noLocks
    package init(tuning: RoomTailTuning = RoomTailTuning()) { self.tuning = tuning }

    /// Power of the tail, the echo included.
    package var power: Float {
        @_noLocks get { early > late ? early : late }
    }

    /// Whether the echo has ended and its tail is all there may be.
    package var isAlone: Bool {
        @_noLocks get { echo < tuning.ended * power }
    }

    /// Takes in the power of a block's echo.
    @_noLocks
    package mutating func update(_ echo: Float) {
        self.echo = echo
        early = max(tuning.earlyDecay * early, echo)
        late = max(tuning.lateDecay * late, tuning.lateShare * echo)
    }
}
