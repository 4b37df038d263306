import DSP

/// The level somebody speaks at, from 10 ms powers: active speech level after the idea of ITU-T P.56, for one voice that may
/// stop, among noise that may start.
///
/// A sound counts as voice only after it has dipped by 10 dB, as speech does with every syllable: a fan that starts, a tone
/// and noise never do, and a sound that goes on for longer than a second is none until it dips.
struct VoiceLevel: BitwiseCopyable {
    /// Power of speech, pauses left out; 0 before any was heard. From the mean of its syllables' levels in dB, which one loud
    /// word moves little.
    private(set) var power: Float = 0
    private let tuning: VoiceLevelTuning
    private var logarithm: Float = 0
    /// Blocks of speech heard so far.
    private(set) var blocks = 0
    /// Whether the last block was louder than its surroundings.
    private(set) var isActive = false
    /// Power over about 40 ms.
    private(set) var recent: Float = 0

    private var oldMinimum: Float = 0
    private var newMinimum: Float = 0
    private var age = 0
    private var peak: Float = 0
    private var pendingSum: Float = 0
    private var pendingBlocks = 0
    /// Those of them that stand out themselves.
    private var loudBlocks = 0
    private var followsSpeech = false
    private var hangover = 0

    init(tuning: VoiceLevelTuning = VoiceLevelTuning()) { self.tuning = tuning }

    /// The least power of the last second.
    private var floor: Float {
        @_noLocks get { oldMinimum < newMinimum ? oldMinimum : newMinimum }
    }

    /// Takes in the mean power of the next 10 ms; `isNear` says that it cannot be echo.
    @_noLocks
    mutating func update(_ block: Float, isNear: Bool) {
        if age == 0 && newMinimum == 0 {
            recent = block
            newMinimum = block
            oldMinimum = block
        }
        recent += (block - recent) * tuning.recentRate
        newMinimum = recent < newMinimum ? recent : newMinimum
        isActive = recent > tuning.quietest && recent > floor * tuning.overFloor
        age &+= 1
        if age >= tuning.window {
            age = 0
            oldMinimum = newMinimum
            newMinimum = recent
        }
        guard isNear else {
            forgetPending()
            return
        }
        hangover = isActive ? tuning.longestPause : hangover > 0 ? hangover &- 1 : 0
        if isActive || hangover > 0 {
            collect(block)
        } else {
            // The pause after speech counts, as far as the hangover went.
            if followsSpeech, loudBlocks == 0 { commit() }
            forgetPending()
        }
    }

    /// Adds a block to the sound that may turn out to be speech, and counts it once it has.
    @_noLocks
    private mutating func collect(_ block: Float) {
        peak = recent > peak ? recent : peak
        pendingSum += block
        pendingBlocks &+= 1
        if block > tuning.quietest, block > floor * tuning.overFloor { loudBlocks &+= 1 }
        if recent < tuning.dip * peak {
            followsSpeech = loudBlocks >= tuning.shortest
            if followsSpeech { commit() }
            peak = recent
            clear()
        } else if pendingBlocks > tuning.longestSteady {
            // Neither this nor what follows without a dip.
            clear()
        }
    }

    @_noLocks
    private mutating func commit() {
        let count = Float(max(1, pendingBlocks))
        let octaves = FastMath.log2(pendingSum / count)
        var past = Float(blocks) < tuning.memory ? Float(blocks) : tuning.memory
        // What is 9 dB louder is believed sooner than what is quieter, which may be the same voice trailing off.
        if octaves > logarithm + tuning.louder { past *= tuning.louderMemory }
        logarithm = (logarithm * past + octaves * count) / (past + count)
        power = tuning.overMean * FastMath.exp2(logarithm)
        blocks = min(blocks &+ pendingBlocks, 1_000_000)
    }

    @_noLocks
    private mutating func forgetPending() {
        peak = 0
        hangover = 0
        followsSpeech = false
        clear()
    }

    @_noLocks
    private mutating func clear() {
        pendingSum = 0
        pendingBlocks = 0
        loudBlocks = 0
    }
}
