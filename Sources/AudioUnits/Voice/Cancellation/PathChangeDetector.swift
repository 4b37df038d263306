/// Notices that the room, a volume or a position changed so much that what the filters learnt is in the way.
///
/// Then the echo estimates are still loud, but the microphone holds less of them: their projection on it, each band weighed
/// alike, falls under 1. Near-end speech makes bands count less; it does not lower the projection.
package struct PathChangeDetector: BitwiseCopyable {
    /// What a block tells of the path.
    package enum Verdict: BitwiseCopyable, Equatable {
        case none
        /// A part of the echo comes another way: what is known is worth keeping, but not to be relied on.
        case partly
        /// What the filters know is in the way.
        case wholly
    }

    private let tuning: PathChangeTuning
    private var farBlocks = 0
    private var lowBlocks = 0
    private var partBlocks = 0

    /// A detector for filters that have just started.
    @_noLocks
    package init(tuning: PathChangeTuning = PathChangeTuning()) { self.tuning = tuning }

    /// The filters started anew.
    @_noLocks
    package mutating func restart() {
        farBlocks = 0
        lowBlocks = 0
        partBlocks = 0
    }

    /// Judges a block. `noise`: noise power in the smoothed sums of `combination`, one a band.
    @_noLocks
    package mutating func update(
        _ combination: borrowing FilterCombination, noise: UnsafePointer<Float>, bandCount: Int, farIsActive: Bool
    ) -> Verdict {
        if farIsActive { farBlocks = min(farBlocks &+ 1, tuning.patience) }
        var above: Float = 0
        var below: Float = 0
        var bands = 0
        for band in 0..<bandCount where combination.estimated[band] > tuning.overNoise * noise[band] {
            let weight = 1 / (combination.heard[band] + combination.estimated[band])
            above += combination.projected[band] * weight
            below += combination.estimated[band] * weight
            bands &+= 1
        }
        guard bands >= tuning.bandsNeeded, farBlocks >= tuning.patience else {
            lowBlocks = 0
            partBlocks = 0
            return .none
        }
        lowBlocks = above < tuning.threshold * below ? lowBlocks &+ 1 : 0
        partBlocks = above < tuning.partThreshold * below ? partBlocks &+ 1 : 0
        if lowBlocks >= tuning.persistence { return .wholly }
        guard partBlocks >= tuning.partPersistence else { return .none }
        partBlocks = 0
        return .partly
    }
}
