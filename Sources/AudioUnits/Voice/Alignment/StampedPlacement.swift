/// Places the reference by time stamps alone: what was heard at the moment the microphone's block began, a little early.
///
/// The distance is held, for a canceller unlearns with every shift; only when it is off by more than `tolerance` for half a
/// second is it set anew. Early by the lead, so that errors of the stamps cannot make the echo come before its cause.
package struct StampedPlacement: BitwiseCopyable {
    /// What a block calls for.
    package enum Verdict: BitwiseCopyable, Equatable {
        /// Nothing has been rendered for this moment yet.
        case wait
        case hold
        /// The first placement.
        case place(offset: Int64)
        /// Another placement than before.
        case move(offset: Int64)
    }

    /// Reference index minus microphone index; nil until placed.
    package private(set) var offset: Int64?
    private let rate: Double
    private let tuning: StampedPlacementTuning
    private var seconds = 0.0
    private var starvedInARow = 0

    @_noLocks
    package init(rate: Double, tuning: StampedPlacementTuning = StampedPlacementTuning()) {
        self.rate = rate
        self.tuning = tuning
    }

    /// Looks at the stamps of a block.
    ///
    /// - Parameters:
    ///   - now: index of the reference sample that is heard as the block begins, as the stamps say.
    ///   - written: reference samples there are.
    ///   - position: index of the block's first sample in the microphone's stream.
    ///   - count: samples of the block.
    ///   - wasStarved: whether the last block of the reference was not all there.
    @_noLocks
    package mutating func look(
        now: Int64, written: Int64, position: Int64, count: Int, wasStarved: Bool
    ) -> Verdict {
        // Not earlier than what has been rendered: an ideal device plays without delay.
        let wanted = min(now &+ Int64(tuning.lead * rate), max(now, written &- Int64(count)))
        let target = wanted &- position
        guard let held = offset else {
            guard wanted >= 0 && now < written else { return .wait }
            offset = target
            return .place(offset: target)
        }
        starvedInARow = wasStarved ? starvedInARow &+ 1 : 0
        let isOff = Double((target &- held).magnitude) > tuning.tolerance * rate
        let isStarving = starvedInARow >= tuning.starvedBlocks && target < held
        seconds = isOff || isStarving ? seconds + Double(count) / rate : 0
        guard seconds > tuning.patience else { return .hold }
        // Where the device leaves no room at all, clocks that differ would starve it again at once.
        let placed = isStarving ? target &- Int64(tuning.slack * rate) : target
        offset = placed
        seconds = 0
        starvedInARow = 0
        return .move(offset: placed)
    }
}
