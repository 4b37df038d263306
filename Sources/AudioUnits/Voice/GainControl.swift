import DSP

/// Brings near-end speech to a target level, digitally, and lifts neither residual echo nor noise.
///
/// The gain learns only from near-end speech while the far end is quiet. As long as a block may hold residual echo, the gain in
/// force is at most 1, from the block's first sample on. It stays so until somebody speaks, so that noise is not lifted in the
/// pauses of the far end.
package struct GainControl: BitwiseCopyable {
    /// Learned gain, linear.
    package private(set) var gain: Float = 1
    /// Gain in force at the end of the last block, linear.
    private var applied: Float = 1
    /// Whether the gain may be over 1: somebody has spoken since the last echo.
    private var isLifting = false
    private var level: VoiceLevel
    private let tuning: GainControlTuning
    private let surePresence: Float
    private let target: Float
    private let most: Float
    /// Steps of the learned gain for each block of speech, as factors.
    private let up: Float
    private let upAtFirst: Float
    private let down: Float

    /// For blocks of 10 ms.
    ///
    /// - Parameters:
    ///   - target: RMS level of speech to reach, linear.
    ///   - maximumGain: linear, 1 or more.
    ///   - releaseMilliseconds: in which the gain comes up by 10 dB, during speech.
    package init(
        target: Float, maximumGain: Float, releaseMilliseconds: Double, tuning: GainTuning = GainTuning(),
        activity: ActivityTuning = ActivityTuning()
    ) {
        self.tuning = tuning.control
        surePresence = activity.surePresence
        level = VoiceLevel(tuning: tuning.level)
        self.target = target
        most = max(1, maximumGain)
        let rise = 10 * 10 / max(10, releaseMilliseconds)
        up = linear(rise)
        upAtFirst = linear(tuning.control.firstSpeed * rise)
        down = linear(tuning.control.fall)
    }

    /// Scales a block of 10 ms in place; what is no number becomes silence.
    @_noLocks
    package mutating func process(_ block: UnsafeMutablePointer<Float>, count: Int, nearEnd: NearEndActivity) {
        var power = meanPower(block, count: count)
        if !(power < 1e6) {
            for index in 0..<count where !(block[index].magnitude < 1e3) { block[index] = 0 }
            power = meanPower(block, count: count)
        }
        level.update(power, isNear: !nearEnd.isFarActive)
        if level.isActive && !nearEnd.isFarActive { learn() }
        // Without a near end for sure, what is in the block may be residual echo alone.
        let mayBeEcho = nearEnd.isFarActive && !(nearEnd.presence > surePresence)
        if mayBeEcho {
            isLifting = false
        } else if level.isActive {
            isLifting = true
        }
        let limit: Float = level.isActive ? tuning.glide : tuning.slowGlide
        let start = applied
        var end = !isLifting && gain > 1 ? 1 : gain
        if end > start * limit { end = start * limit }
        // An echo begins anywhere in its block, so the gain may not still be on its way down.
        let first = mayBeEcho && end < start ? end : start
        let step = (end - first) / Float(max(1, count))
        var current = first
        for index in 0..<count {
            current += step
            block[index] *= current
        }
        applied = end
    }

    /// Moves the gain a step towards what the speech heard so far asks for.
    @_noLocks
    private mutating func learn() {
        guard level.power > 0 else { return }
        let isFirst = level.blocks < tuning.firstBlocks
        let wanted = (isFirst ? tuning.firstBoost : 1) * target / FastMath.squareRoot(level.power)
        let isLoud = gain * gain * level.recent > tuning.loud * target * target
        if isLoud || wanted < gain * tuning.tooMuch {
            gain = max(tuning.least, isLoud ? gain * down : max(wanted, gain * down))
        } else if wanted > gain * tuning.tooLittle {
            gain = min(most, min(wanted, gain * (isFirst ? upAtFirst : up)))
        }
    }
}
