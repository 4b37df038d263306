/// Tells, before any delay is found, that what the microphone hears is no echo of the far end: a headset.
///
/// Two kinds of evidence, in blocks of 20 ms. By correlation: an echo gathers the correlation's power within 2 ms around its
/// delay, chance spreads it; after a fifth of a second that microphone was loud, what has no such place is no echo that could
/// have come by then. By level: after a sound of the far end its echo comes within 540 ms; if nothing came, no echo is stronger
/// than what was heard then, and a microphone far louder than that hears somebody.
struct EchoAbsence: BitwiseCopyable {
    /// Whether the microphone holds no echo, as far as it can be told.
    private(set) var isLikely = false
    /// Powers of the last blocks, in circles.
    private var far = InlineArray<28, Float>(repeating: 0)
    private var microphone = InlineArray<28, Float>(repeating: 0)
    private var newest = 0
    /// Power of the strongest echo there may be over the far end's power.
    private var bound = Float.greatestFiniteMagnitude
    /// Blocks too loud for an echo.
    private var nearBlocks = 0
    /// Blocks that the correlation has learnt from.
    private var judged = 0

    /// Blocks in which all echo comes: 560 ms.
    private static var echoBlocks: Int { @_noLocks get { 28 } }
    /// Mean power over which the far end speaks: -50 dBFS.
    private static var farThreshold: Float { @_noLocks get { 1e-5 } }
    /// A path that damps lows and passes highs, and reverberation that adds up, make up for no more than 20 dB.
    private static var margin: Float { @_noLocks get { 100 } }
    /// Blocks of that: clicks are shorter.
    private static var leastNear: Int { @_noLocks get { 2 } }
    /// Blocks of a loud microphone after which the correlation is trusted, and its densest 2 ms over the mean: unrelated
    /// speech stays under the first, an echo comes over the second.
    private static var enough: Int { @_noLocks get { 10 } }
    private static var chance: Float { @_noLocks get { 6.5 } }
    private static var certain: Float { @_noLocks get { 9 } }

    init() {}

    /// Takes in the mean powers of a block.
    @_noLocks
    mutating func hear(far farPower: Float, microphone power: Float) {
        newest = newest &+ 1 < Self.echoBlocks ? newest &+ 1 : 0
        // What is overwritten is the oldest of all: its echo has come by now.
        let oldest = far[unchecked: newest]
        var loudestFar = farPower
        var loudest = power
        for index in 0..<Self.echoBlocks where index != newest {
            loudestFar = max(loudestFar, far[unchecked: index])
            loudest = max(loudest, microphone[unchecked: index])
        }
        far[unchecked: newest] = farPower
        microphone[unchecked: newest] = power
        if oldest > Self.farThreshold { bound = min(bound, loudest / oldest) }
        if power > Self.margin * bound * loudestFar {
            nearBlocks = min(nearBlocks &+ 1, Self.leastNear)
            if nearBlocks == Self.leastNear { isLikely = true }
        }
    }

    /// Takes in what a correlation that has just learnt looks like: `density` is the power of its densest 2 ms over the mean.
    @_noLocks
    mutating func look(density: Float) {
        judged = min(judged &+ 1, Self.enough)
        if density > Self.certain {
            isLikely = false
        } else if judged == Self.enough, density < Self.chance {
            isLikely = true
        }
    }
}
