/// Tells, before any delay is found, that what the microphone hears is no echo of the far end: a headset.
///
/// There are two kinds of evidence, in blocks of 20 ms. *Correlation*: an echo gathers the power of the correlation within 2 ms
/// around its delay; unrelated sound spreads it. When the microphone has been loud for a fifth of a second and no such place has
/// appeared, there is no echo that could have come by then. *Level*: the echo of a sound comes within 540 ms. The loudest sound in
/// that time bounds the strength of the echo, and a microphone far louder than the bound hears somebody.
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
    private let tuning: EchoAbsenceTuning
    private let farThreshold: Float

    /// Blocks in which all echo comes: 560 ms.
    private static var echoBlocks: Int { @_noLocks get { 28 } }

    @_noLocks
    init(tuning: EchoAbsenceTuning = EchoAbsenceTuning(), activity: ActivityTuning = ActivityTuning()) {
        self.tuning = tuning
        farThreshold = activity.farThreshold
    }

    /// Nothing was heard yet.
    @_noLocks
    mutating func restart() {
        isLikely = false
        for index in 0..<Self.echoBlocks {
            far[unchecked: index] = 0
            microphone[unchecked: index] = 0
        }
        newest = 0
        bound = .greatestFiniteMagnitude
        nearBlocks = 0
        judged = 0
    }

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
        if oldest > farThreshold { bound = min(bound, loudest / oldest) }
        if power > tuning.margin * bound * loudestFar {
            nearBlocks = min(nearBlocks &+ 1, tuning.leastNear)
            if nearBlocks == tuning.leastNear { isLikely = true }
        }
    }

    /// Takes in what a correlation that has just learnt looks like: `density` is the power of its densest 2 ms over the mean.
    @_noLocks
    mutating func look(density: Float) {
        judged = min(judged &+ 1, tuning.enough)
        if density > tuning.certain {
            isLikely = false
        } else if judged == tuning.enough, density < tuning.chance {
            isLikely = true
        }
    }
}
