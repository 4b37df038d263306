import DSP

/// Power of the echo that the linear filters leave, per bin.
///
/// Two estimates, the larger counts: what the Kalman filter's variances expect, and the share of the echo that was left
/// in each band lately (`leak`), which also covers what no linear filter can cancel. The leak starts at 1, so the
/// suppressor holds everything down until a band has shown that it is cancelled.
package struct ResidualEcho: ~Copyable {
    /// One a bin.
    package let power: UnsafeMutablePointer<Float>
    /// Residual over echo, one a band.
    package let leak: UnsafeMutablePointer<Float>
    private let bins: Int
    private let bandCount: Int
    private let echoHeld: UnsafeMutablePointer<Float>
    private let referenceHeld: UnsafeMutablePointer<Float>
    private let source: UnsafeMutablePointer<Float>
    private let unsmoothed: UnsafeMutablePointer<Float>
    private let scratch: UnsafeMutablePointer<Float>
    /// Averages over 100 ms, one a band: residual and echo; then the leak's logarithm, mean and deviation.
    private let residualMean: UnsafeMutablePointer<Float>
    private let echoMean: UnsafeMutablePointer<Float>
    private let logarithm: UnsafeMutablePointer<Float>
    private let deviation: UnsafeMutablePointer<Float>

    /// For spectra of `bins` bins in `bandCount` bands.
    package init(bins: Int, bandCount: Int) {
        self.bins = bins
        self.bandCount = bandCount
        power = cleared(bins)
        echoHeld = cleared(bins)
        referenceHeld = cleared(bins)
        source = cleared(bins)
        unsmoothed = cleared(bins)
        leak = cleared(bandCount)
        scratch = cleared(bandCount)
        residualMean = cleared(bandCount)
        echoMean = cleared(bandCount)
        logarithm = cleared(bandCount)
        deviation = cleared(bandCount)
        for band in 0..<bandCount { leak[band] = 1 }
    }

    deinit {
        for plane in [power, echoHeld, referenceHeld, source, unsmoothed] { plane.deallocate() }
        for plane in [leak, scratch, residualMean, echoMean, logarithm, deviation] { plane.deallocate() }
    }

    /// The filters started anew: nothing is cancelled yet.
    @_noLocks
    package mutating func restart() {
        for band in 0..<bandCount {
            leak[band] = 1
            logarithm[band] = 0
            deviation[band] = 0
        }
    }

    /// Mean of the leak, bands weighed by their echo.
    package var meanLeak: Float {
        @_noLocks get {
            var above: Float = 0
            var below: Float = 1e-15
            for band in 0..<bandCount {
                above += leak[band] * echoMean[band]
                below += echoMean[band]
            }
            return above / below
        }
    }

    /// What a block tells of the echo, one value a bin.
    package struct Observation: BitwiseCopyable {
        /// Powers of the echo estimate, of the reference, and of what was left; noise.
        let echo: UnsafePointer<Float>
        let reference: UnsafePointer<Float>
        let residual: UnsafePointer<Float>
        let noise: UnsafePointer<Float>
        /// Power gain of the echo path.
        let gains: UnsafePointer<Float>
        /// What the Kalman filter expects to miss.
        let missed: UnsafePointer<Float>
        /// 0 ... 1.
        let nearEndPresence: Float

        /// Powers, one a bin.
        @_noLocks
        package init(
            echo: UnsafePointer<Float>, reference: UnsafePointer<Float>, residual: UnsafePointer<Float>,
            noise: UnsafePointer<Float>, gains: UnsafePointer<Float>, missed: UnsafePointer<Float>, nearEndPresence: Float
        ) {
            self.echo = echo
            self.reference = reference
            self.residual = residual
            self.noise = noise
            self.gains = gains
            self.missed = missed
            self.nearEndPresence = nearEndPresence
        }
    }

    /// Takes in a block.
    @_noLocks
    package mutating func update(_ seen: Observation, bands: borrowing FrequencyBands) {
        for bin in 0..<bins {
            echoHeld[bin] = max(seen.echo[bin], 0.7 * echoHeld[bin] + 1e-15)
            referenceHeld[bin] = max(seen.reference[bin], 0.75 * referenceHeld[bin] + 1e-15)
            source[bin] = max(echoHeld[bin], seen.gains[bin] * referenceHeld[bin])
        }
        for band in 0..<bandCount {
            let range = bands.bins(of: band)
            learn(seen, band: band, range: range)
            for bin in range {
                let expected = max(0.125 * seen.missed[bin], 2 * leak[band] * source[bin])
                unsmoothed[bin] = max(expected, 0.6 * unsmoothed[bin])
            }
        }
        for bin in 0..<bins {
            let below = unsmoothed[bin > 0 ? bin &- 1 : 0]
            let above = unsmoothed[bin &+ 1 < bins ? bin &+ 1 : bin]
            power[bin] = 0.25 * below + 0.5 * unsmoothed[bin] + 0.25 * above
        }
    }

    /// Follows the leak of a band where its echo stands out of the noise.
    @_noLocks
    private func learn(_ seen: Observation, band: Int, range: Range<Int>) {
        var residual: Float = 0
        var echo: Float = 0
        var noise: Float = 0
        for bin in range {
            residual += seen.residual[bin]
            echo += source[bin]
            noise += seen.noise[bin]
        }
        residualMean[band] += 0.1 * (residual - residualMean[band])
        echoMean[band] += 0.1 * (echo - echoMean[band])
        guard echoMean[band] > 10 * noise, echoMean[band] > 1e-9 else { return }
        let left = max(residualMean[band] - noise, 1e-4 * echoMean[band])
        let step = min(3, Self.ln2 * FastMath.log2(left / echoMean[band]) - logarithm[band])
        let doubleTalk = seen.nearEndPresence > 0.3
        logarithm[band] += (step < 0 ? 0.1 : doubleTalk ? 0.0004 : 0.01) * step
        if !doubleTalk || step < 0 { deviation[band] += 0.02 * (step.magnitude - deviation[band]) }
        let wanted = FastMath.exp2((logarithm[band] + 0.7 * deviation[band]) / Self.ln2)
        leak[band] = max(0.0005, min(2, wanted))
    }

    private static var ln2: Float { @_noLocks get { 0.693_147_2 } }
}
