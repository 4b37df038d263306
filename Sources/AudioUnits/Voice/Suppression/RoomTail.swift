/// Upper bound of what rings on in the room after an echo, where no filter reaches any more.
///
/// Two slopes, the higher counts: an ordinary room's from the echo's full power on, and a hall's from a tenth of it on, which
/// is over its reverberation by the time that the first has come down so far.
package struct RoomTail: BitwiseCopyable {
    private var early: Float = 0
    private var late: Float = 0
    private var echo: Float = 0

    /// What is left after a block of 10 ms: 60 dB in 0.8 s, and 60 dB in 1.7 s.
    private static var earlyDecay: Float { @_noLocks get { 0.84 } }
    private static var lateDecay: Float { @_noLocks get { 0.92 } }
    private static var lateShare: Float { @_noLocks get { 0.1 } }
    /// An echo so far under the tail, 10 dB, has ended.
    private static var ended: Float { @_noLocks get { 0.1 } }

    /// Nothing rings.
    @_noLocks
    package init() {}

    /// Power of the tail, the echo included.
    package var power: Float {
        @_noLocks get { early > late ? early : late }
    }

    /// Whether the echo has ended and its tail is all there may be.
    package var isAlone: Bool {
        @_noLocks get { echo < Self.ended * power }
    }

    /// Takes in the power of a block's echo.
    @_noLocks
    package mutating func update(_ echo: Float) {
        self.echo = echo
        early = max(Self.earlyDecay * early, echo)
        late = max(Self.lateDecay * late, Self.lateShare * echo)
    }
}
