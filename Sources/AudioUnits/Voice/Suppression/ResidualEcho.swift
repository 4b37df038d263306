import DSP

/// Power of the echo that the linear filters leave, per bin.
///
/// Two estimates, the larger counts: what the Kalman filter's variances expect, and the share of the echo that was left
/// in each band lately (`EchoLeak`), which also covers what no linear filter can cancel. The leak starts at 1, so the
/// suppressor holds everything down until a band has shown that it is cancelled.
package struct ResidualEcho: ~Copyable {
    /// One a bin.
    package let power: UnsafeMutablePointer<Float>
    /// Power of the whole echo, by the reference and by the filters' estimate, one a bin.
    package let source: UnsafeMutablePointer<Float>
    private let bins: Int
    private let bandCount: Int
    private let echoHeld: UnsafeMutablePointer<Float>
    private let referenceHeld: UnsafeMutablePointer<Float>
    private let unsmoothed: UnsafeMutablePointer<Float>
    private var leak: EchoLeak

    /// For spectra of `bins` bins in `bandCount` bands.
    package init(bins: Int, bandCount: Int) {
        self.bins = bins
        self.bandCount = bandCount
        power = cleared(bins)
        echoHeld = cleared(bins)
        referenceHeld = cleared(bins)
        source = cleared(bins)
        unsmoothed = cleared(bins)
        leak = EchoLeak(bandCount: bandCount)
    }

    deinit {
        for plane in [power, echoHeld, referenceHeld, source, unsmoothed] { plane.deallocate() }
    }

    /// The filters started anew: nothing is cancelled yet.
    @_noLocks
    package mutating func restart() { leak.restart() }

    /// Mean of the leak, bands weighed by their echo.
    package var meanLeak: Float { @_noLocks get { leak.mean } }

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
        let context: EchoLeak.Context

        /// Powers, one a bin; `nearEndPresence`: 0 ... 1, and whether `NearEndProof` bears it out.
        @_noLocks
        package init(
            echo: UnsafePointer<Float>, reference: UnsafePointer<Float>, residual: UnsafePointer<Float>,
            noise: UnsafePointer<Float>, gains: UnsafePointer<Float>, missed: UnsafePointer<Float>,
            nearEndPresence: Float, isProven: Bool
        ) {
            self.echo = echo
            self.reference = reference
            self.residual = residual
            self.noise = noise
            self.gains = gains
            self.missed = missed
            context = EchoLeak.Context(presence: nearEndPresence, isProven: isProven)
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
        leak.begin(seen.context)
        for band in 0..<bandCount {
            let range = bands.bins(of: band)
            learn(seen, band: band, range: range)
            let share = 2 * leak.ratios[band]
            for bin in range {
                let expected = max(0.125 * seen.missed[bin], share * source[bin])
                unsmoothed[bin] = max(expected, 0.6 * unsmoothed[bin])
            }
        }
        for bin in 0..<bins {
            let below = unsmoothed[bin > 0 ? bin &- 1 : 0]
            let above = unsmoothed[bin &+ 1 < bins ? bin &+ 1 : bin]
            power[bin] = 0.25 * below + 0.5 * unsmoothed[bin] + 0.25 * above
        }
    }

    @_noLocks
    private mutating func learn(_ seen: Observation, band: Int, range: Range<Int>) {
        var residual: Float = 0
        var echo: Float = 0
        var noise: Float = 0
        for bin in range {
            residual += seen.residual[bin]
            echo += source[bin]
            noise += seen.noise[bin]
        }
        leak.learn(band: band, residual: residual, echo: echo, noise: noise, seen.context)
    }
}
