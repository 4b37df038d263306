/// What the linear filters achieve: powers of the microphone before and after them, over far-end speech.
struct CancellationMeter: BitwiseCopyable {
    private var before: Float = 0
    private var after: Float = 0

    init() {}

    /// Smoothing: about 300 ms.
    private static var rate: Float { @_noLocks get { 0.03 } }

    /// Takes in the last block.
    @_noLocks
    mutating func update(_ estimator: borrowing EchoEstimator, farIsActive: Bool) {
        guard farIsActive else { return }
        before += Self.rate * (sum(estimator.microphonePower, count: estimator.bins) - before)
        after += Self.rate * (sum(estimator.residualPower, count: estimator.bins) - after)
    }

    /// Before over after; 1 as long as there is nothing to tell.
    var ratio: Float {
        @_noLocks get { before > 1e-9 ? before / max(after, 1e-9) : 1 }
    }
}
