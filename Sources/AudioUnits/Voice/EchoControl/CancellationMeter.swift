/// What the linear filters achieve: powers of the microphone before and after them, over far-end speech.
struct CancellationMeter: BitwiseCopyable {
    private let rate: Float
    private var before: Float = 0
    private var after: Float = 0

    /// - Parameter rate: share of the newest block.
    init(rate: Float) { self.rate = rate }

    /// Nothing was measured yet.
    @_noLocks
    mutating func restart() {
        before = 0
        after = 0
    }

    /// Takes in the last block.
    @_noLocks
    mutating func update(_ estimator: borrowing EchoEstimator, farIsActive: Bool) {
        guard farIsActive else { return }
        before += rate * (sum(estimator.microphonePower, count: estimator.bins) - before)
        after += rate * (sum(estimator.residualPower, count: estimator.bins) - after)
    }

    /// Before over after; 1 as long as there is nothing to tell.
    var ratio: Float {
        @_noLocks get { before > 1e-9 ? before / max(after, 1e-9) : 1 }
    }
}
