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

    private var farBlocks = 0
    private var lowBlocks = 0
    private var partBlocks = 0

    /// The projection's mean under which filters count as wrong, and for how many blocks it must stay there.
    private static var threshold: Float { @_noLocks get { 0.4 } }
    private static var persistence: Int { @_noLocks get { 4 } }
    /// The same for a part of the path.
    private static var partThreshold: Float { @_noLocks get { 0.7 } }
    private static var partPersistence: Int { @_noLocks get { 10 } }
    /// Far-end speech that the filters get to learn before they are judged, in blocks.
    private static var patience: Int { @_noLocks get { 150 } }
    /// Bands that must hold an echo estimate 9 dB over the noise.
    private static var bandsNeeded: Int { @_noLocks get { 6 } }
    private static var overNoise: Float { @_noLocks get { 8 } }

    /// A detector for filters that have just started.
    @_noLocks
    package init() {}

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
        if farIsActive { farBlocks = min(farBlocks &+ 1, Self.patience) }
        var above: Float = 0
        var below: Float = 0
        var bands = 0
        for band in 0..<bandCount where combination.estimated[band] > Self.overNoise * noise[band] {
            let weight = 1 / (combination.heard[band] + combination.estimated[band])
            above += combination.projected[band] * weight
            below += combination.estimated[band] * weight
            bands &+= 1
        }
        guard bands >= Self.bandsNeeded, farBlocks >= Self.patience else {
            lowBlocks = 0
            partBlocks = 0
            return .none
        }
        lowBlocks = above < Self.threshold * below ? lowBlocks &+ 1 : 0
        partBlocks = above < Self.partThreshold * below ? partBlocks &+ 1 : 0
        if lowBlocks >= Self.persistence { return .wholly }
        guard partBlocks >= Self.partPersistence else { return .none }
        partBlocks = 0
        return .partly
    }
}
