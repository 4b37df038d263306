/// Brings near-end speech to a target level, digitally, and never lifts residual echo.
///
/// The gain learns only from blocks that hold near-end voice while the far end is quiet. While the far end is active
/// the gain in force falls to at most 1 until the near end clearly talks over it.
struct GainControl: BitwiseCopyable {
    /// Learned gain, linear.
    private(set) var gain: Float = 1
    /// Gain in force, linear.
    private var applied: Float = 1
    private var floor: Float = 1e-4
    private var level: Float
    private let target: Float
    private let most: Float
    private let up: Float
    private let down: Float
    private let glide: Float

    /// Speech is what lies 10 dB over the noise floor and over -55 dBFS.
    private static var speechOverFloor: Float { @_noLocks get { 10 } }
    private static var quietest: Float { @_noLocks get { 3.2e-6 } }
    /// Least gain: -12 dB.
    private static var least: Float { @_noLocks get { 0.25 } }

    /// `target` and `maximumGain` linear; `blockSeconds` is how often `process` is called.
    init(target: Float, maximumGain: Float, blockSeconds: Float) {
        self.target = target
        most = max(1, maximumGain)
        level = target * target
        // 6 dB a second up, 20 dB a second down; small enough steps that the first-order form is exact to 0.01 dB.
        up = 1 + 0.69 * blockSeconds
        down = 1 - 2.3 * blockSeconds
        glide = min(1, blockSeconds / 0.03)
    }

    /// Scales a block in place. `farActive`: the loudspeaker has been speaking; `echoPower`: mean power still to be
    /// expected of residual echo in this block.
    @_noLocks
    mutating func process(_ block: UnsafeMutablePointer<Float>, count: Int, farActive: Bool, echoPower: Float) {
        var power: Float = 0
        for index in 0..<count { power += block[index] * block[index] }
        power /= Float(max(1, count))
        floor = power < floor ? max(power, floor * 0.9) : floor * 1.005
        floor = max(1e-9, min(floor, 1e-3))
        let isSpeech = power > Self.quietest && power > floor * Self.speechOverFloor
        if isSpeech && !farActive { learn(power) }
        let isTalkingOver = isSpeech && power > 4 * echoPower
        let wanted = farActive && !isTalkingOver ? min(gain, 1) : gain
        let start = applied
        applied += (wanted - applied) * glide
        let step = (applied - start) / Float(max(1, count))
        var current = start
        for index in 0..<count {
            current += step
            block[index] *= current
        }
    }

    @_noLocks
    private mutating func learn(_ power: Float) {
        level += (power - level) * 0.03
        // Compared as powers; within 1 dB of the target the gain rests.
        let reached = gain * gain * level
        if reached < 0.79 * target * target {
            gain = min(most, gain * up)
        } else if reached > 1.26 * target * target {
            gain = max(Self.least, gain * down)
        }
    }
}

/// Keeps peaks under -1 dBFS without look-ahead: the gain falls at once and recovers over about 50 ms.
struct Limiter: BitwiseCopyable {
    private var envelope: Float = 0
    private let release: Float

    private static var threshold: Float { @_noLocks get { 0.891 } }

    init(sampleRate: Double) { release = 1 - Float(1 / (0.05 * sampleRate)) }

    @_noLocks
    mutating func process(_ block: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let sample = block[index]
            envelope = max(sample.magnitude, envelope * release)
            if envelope > Self.threshold { block[index] = sample * (Self.threshold / envelope) }
        }
    }
}
