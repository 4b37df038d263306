/// Decides from the correlation of each block whether the delay is known, and whether it has become another.
///
/// The first lock is quick as the call begins, when somebody waits for it: a peak 50 times over the mean power, five blocks
/// in the same place; or, where reverberation spreads the correlation, 28 times and 14 blocks. An echo gets there within a
/// third of a second. What comes later is more likely chance (somebody else's speech gets as far as the first about once in a
/// minute of both talking), so then it takes 45 times and 25 blocks. A move must be certain, for it costs what the filters
/// have learnt: 75 times, half a second in the same place (a second while the filters cancel), and no peak half as strong where
/// the delay was.
struct DelayLock: BitwiseCopyable {
    /// A block's finding, in lags of the correlation.
    enum Verdict: BitwiseCopyable, Equatable {
        case unchanged
        /// The delay is known now.
        case found(lag: Int)
        /// The delay is another than the one held.
        case moved(lag: Int)
    }

    private let tuning: DelayLockTuning
    private var last = Int.min / 2
    private var steady = 0
    /// The same for peaks that stand out less.
    private var patient = 0
    /// Power of the highest peak over the mean power, of the last block looked at.
    private(set) var score: Float = 0
    /// The same for the 2 ms that hold most of the power.
    private(set) var density: Float = 0

    /// Lags in a millisecond.
    private static var perMillisecond: Int { @_noLocks get { 8 } }

    init(tuning: DelayLockTuning = DelayLockTuning()) { self.tuning = tuning }

    /// Looks at a block's correlation.
    ///
    /// - Parameters:
    ///   - held: the delay the reference is placed for, in lags; nil before the first lock.
    ///   - isCancelling: whether the filters take more than 5 dB off the echo.
    ///   - isEarly: whether microphone and far end have not been heard together for long.
    @_noLocks
    mutating func look(
        _ correlation: UnsafePointer<Float>, lags: Int, held: Int?, isCancelling: Bool, isEarly: Bool
    ) -> Verdict {
        guard let peak = findPeak(correlation, lags) else { return .unchanged }
        let isNear = (peak.lag &- last).magnitude <= UInt(Self.perMillisecond)
        last = peak.lag
        guard let held else {
            steady = score > tuning.firstScore ? (isNear ? steady &+ 1 : 1) : 0
            patient = score > (isEarly ? tuning.earlyScore : tuning.patientScore) ? (isNear ? patient &+ 1 : 1) : 0
            let isFound =
                isEarly
                ? steady >= tuning.firstBlocks || patient >= tuning.earlyBlocks : patient >= tuning.patientBlocks
            guard isFound else { return .unchanged }
            steady = 0
            patient = 0
            return .found(lag: peak.lag)
        }
        let first = max(0, held &- tuning.before &* Self.perMillisecond)
        let end = min(lags, held &+ tuning.after &* Self.perMillisecond)
        var present: Float = 0
        if first < end { for lag in first..<end { present = max(present, correlation[lag] * correlation[lag]) } }
        let isElsewhere = score > tuning.laterScore && present < tuning.present * peak.power
        steady = isElsewhere ? (isNear ? steady &+ 1 : 1) : 0
        guard steady >= (isCancelling ? 2 &* tuning.laterBlocks : tuning.laterBlocks) else { return .unchanged }
        steady = 0
        return .moved(lag: peak.lag)
    }

    /// Forgets the blocks that pointed somewhere.
    @_noLocks
    mutating func restart() {
        steady = 0
        patient = 0
        last = Int.min / 2
        score = 0
        density = 0
    }

    /// The first strong lag up to 10 ms before the maximum: the direct sound, which a reflection may top.
    @_noLocks
    private mutating func findPeak(_ correlation: UnsafePointer<Float>, _ lags: Int) -> (lag: Int, power: Float)? {
        var sum: Float = 0
        var greatest: Float = 0
        var best = 0
        // Sums over 1 ms; two neighbours make the densest 2 ms.
        var before: Float = 0
        var densest: Float = 0
        for group in 0..<(lags / Self.perMillisecond) {
            let values = correlation.vector(group)
            let powers = values * values
            let own = powers.total()
            sum += own
            densest = max(densest, before + own)
            before = own
            // Where the sum is not greater no value is.
            guard own > greatest else { continue }
            for lane in 0..<Self.perMillisecond where powers[lane] > greatest {
                greatest = powers[lane]
                best = group &* Self.perMillisecond &+ lane
            }
        }
        guard sum > 0, sum.isFinite else {
            score = 0
            density = 0
            steady = 0
            patient = 0
            return nil
        }
        score = greatest * Float(lags) / sum
        density = densest * Float(lags) / (Float(2 &* Self.perMillisecond) * sum)
        for lag in max(0, best &- tuning.directSearch &* Self.perMillisecond)..<best
        where correlation[lag] * correlation[lag] >= tuning.directShare * greatest {
            return (lag, greatest)
        }
        return (best, greatest)
    }
}
