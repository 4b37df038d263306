import DSP

/// How strong the echo is against the reference, per bin: the power ratio of the first far-end speech after a lock.
///
/// It is where the Kalman filter's uncertainty starts from, and the least that echo is expected to be.
package struct PathGain: ~Copyable {
    /// Power of the microphone over that of the reference, 1e-6 ... 4; 0 until known.
    package let ratios: UnsafeMutablePointer<Float>
    /// Whether the ratios are those of this path.
    package private(set) var isKnown = false
    private let tuning: PathGainTuning
    private let bins: Int
    private let microphone: UnsafeMutablePointer<Float>
    private let reference: UnsafeMutablePointer<Float>
    private var blocks = 0

    /// For spectra of `bins` bins.
    package init(bins: Int, tuning: PathGainTuning = PathGainTuning()) {
        self.tuning = tuning
        self.bins = bins
        ratios = cleared(bins)
        microphone = cleared(bins)
        reference = cleared(bins)
    }

    deinit {
        ratios.deallocate()
        microphone.deallocate()
        reference.deallocate()
    }

    /// Measures anew; the ratios stay until that is done.
    @_noLocks
    package mutating func restart() {
        isKnown = false
        blocks = 0
        for bin in 0..<bins {
            microphone[bin] = 0
            reference[bin] = 0
        }
    }

    /// Takes in the powers of a block with far-end speech; true when the ratios became known by it.
    @_noLocks
    package mutating func update(microphone mic: UnsafePointer<Float>, reference far: UnsafePointer<Float>) -> Bool {
        guard !isKnown else { return false }
        for bin in 0..<bins {
            microphone[bin] += mic[bin]
            reference[bin] += far[bin]
        }
        blocks &+= 1
        guard blocks >= tuning.enough else { return false }
        for bin in 0..<bins {
            var above: Float = 0
            var below: Float = 1e-9
            for near in max(0, bin &- tuning.reach)...min(bins &- 1, bin &+ tuning.reach) {
                above += microphone[near]
                below += reference[near]
            }
            ratios[bin] = max(tuning.least, min(tuning.most, above / below))
        }
        isKnown = true
        return true
    }
}
