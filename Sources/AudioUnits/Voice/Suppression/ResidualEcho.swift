import DSP

/// Power of the echo that the linear filters leave, per bin.
///
/// Two estimates, the larger counts: what the Kalman filter's variances expect, and the share of the echo that was left
/// in each band lately (`EchoLeakage`), which also covers what no linear filter can cancel. The leakage starts at 1, so the
/// suppressor holds everything down until a band has shown that it is cancelled.
package struct ResidualEcho: ~Copyable {
    /// One a bin.
    package let power: UnsafeMutablePointer<Float>
    /// Power of the whole echo, by the reference and by the filters' estimate, one a bin.
    package let source: UnsafeMutablePointer<Float>
    private let tuning: ResidualEchoTuning
    private let bins: Int
    private let bandCount: Int
    private let echoHeld: UnsafeMutablePointer<Float>
    private let referenceHeld: UnsafeMutablePointer<Float>
    private let unsmoothed: UnsafeMutablePointer<Float>
    private var leakage: EchoLeakage

    /// For spectra of `bins` bins in `bandCount` bands.
    package init(
        bins: Int, bandCount: Int, tuning: SuppressionTuning = SuppressionTuning(),
        activity: ActivityTuning = ActivityTuning()
    ) {
        self.tuning = tuning.residual
        self.bins = bins
        self.bandCount = bandCount
        power = cleared(bins)
        echoHeld = cleared(bins)
        referenceHeld = cleared(bins)
        source = cleared(bins)
        unsmoothed = cleared(bins)
        leakage = EchoLeakage(bandCount: bandCount, tuning: tuning.leakage, activity: activity)
    }

    deinit {
        for plane in [power, echoHeld, referenceHeld, source, unsmoothed] { plane.deallocate() }
    }

    /// The filters started anew: nothing is cancelled yet.
    @_noLocks
    package mutating func restart() { leakage.restart() }

    /// Mean of the leakage, bands weighed by their echo.
    package var meanLeakage: Float { @_noLocks get { leakage.mean } }

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
        let context: EchoLeakage.Context

        /// Powers, one a bin; `nearEndPresence`: 0 ... 1, and whether `NearEndConfirmation` confirms it.
        @_noLocks
        package init(
            echo: UnsafePointer<Float>, reference: UnsafePointer<Float>, residual: UnsafePointer<Float>,
            noise: UnsafePointer<Float>, gains: UnsafePointer<Float>, missed: UnsafePointer<Float>,
            nearEndPresence: Float, isConfirmed: Bool
        ) {
            self.echo = echo
            self.reference = reference
            self.residual = residual
            self.noise = noise
            self.gains = gains
            self.missed = missed
            context = EchoLeakage.Context(presence: nearEndPresence, isConfirmed: isConfirmed)
        }
    }

    /// Takes in a block.
    @_noLocks
    package mutating func update(_ seen: Observation, bands: borrowing FrequencyBands) {
        for bin in 0..<bins {
            echoHeld[bin] = max(seen.echo[bin], tuning.echoHold * echoHeld[bin] + 1e-15)
            referenceHeld[bin] = max(seen.reference[bin], tuning.referenceHold * referenceHeld[bin] + 1e-15)
            source[bin] = max(echoHeld[bin], seen.gains[bin] * referenceHeld[bin])
        }
        leakage.begin(seen.context)
        for band in 0..<bandCount {
            let range = bands.bins(of: band)
            learn(seen, band: band, range: range)
            let share = tuning.overestimate * leakage.ratios[band]
            for bin in range {
                let expected = max(tuning.missedShare * seen.missed[bin], share * source[bin])
                unsmoothed[bin] = max(expected, tuning.hold * unsmoothed[bin])
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
        leakage.learn(band: band, residual: residual, echo: echo, noise: noise, seen.context)
    }
}
