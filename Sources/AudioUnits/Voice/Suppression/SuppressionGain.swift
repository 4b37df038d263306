import DSP

/// The gain that takes the residual echo out of each bin: a Wiener gain on the decision-directed ratio of voice to echo
/// (Ephraim and Malah 1984), hard while the far end speaks alone, soft while both do.
package struct SuppressionGain: ~Copyable {
    /// 0 ... 1, one a bin.
    package let gains: UnsafeMutablePointer<Float>
    private let tuning: SuppressionGainTuning
    private let bins: Int
    private let smoothed: UnsafeMutablePointer<Float>
    /// Power of the voice that came out of the last block.
    private let voice: UnsafeMutablePointer<Float>

    /// For spectra of `bins` bins.
    package init(bins: Int, tuning: SuppressionGainTuning = SuppressionGainTuning()) {
        self.tuning = tuning
        self.bins = bins
        gains = cleared(bins)
        smoothed = cleared(bins)
        voice = cleared(bins)
    }

    deinit {
        gains.deallocate()
        smoothed.deallocate()
        voice.deallocate()
    }

    /// - Parameters:
    ///   - residual: power of what is left after the filters, one a bin.
    ///   - echo: power of the echo in it, one a bin.
    ///   - nearEndPresence: 0 ... 1.
    @_noLocks
    package mutating func update(residual: UnsafePointer<Float>, echo: UnsafePointer<Float>, nearEndPresence p: Float) {
        // In between on a logarithmic scale.
        let overestimate = FastMath.exp2(tuning.overestimate * (1 - p) + tuning.overestimateInDoubleTalk * p)
        let floor = FastMath.exp2(tuning.floor * (1 - p) + tuning.floorInDoubleTalk * p)
        for bin in 0..<bins {
            smoothed[bin] = (1 - tuning.rate) * smoothed[bin] + tuning.rate * residual[bin]
            let against = 1 / (overestimate * echo[bin] + 1e-12)
            let ratio = (1 - tuning.newVoice) * voice[bin] * against + tuning.newVoice * max(0, smoothed[bin] * against - 1)
            gains[bin] = max(floor, ratio / (1 + ratio))
            voice[bin] = gains[bin] * gains[bin] * residual[bin]
        }
    }

    /// Lets nothing through.
    @_noLocks
    package mutating func close() {
        for bin in 0..<bins {
            gains[bin] = 0
            voice[bin] = 0
        }
    }

    /// Power that `echo` may have after the gains, one a bin: what was expected, and its ups; less of it the more of
    /// the near end there is, which it must not be mistaken for.
    @_noLocks
    package func pass(
        _ echo: UnsafePointer<Float>, nearEndPresence p: Float, into passed: UnsafeMutablePointer<Float>
    ) {
        let share = tuning.ups * (1 - p) * (1 - p)
        for bin in 0..<bins { passed[bin] = share * gains[bin] * gains[bin] * echo[bin] }
    }

}
