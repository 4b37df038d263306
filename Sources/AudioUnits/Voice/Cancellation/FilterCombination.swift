import DSP

/// Mixes two echo estimates band by band so that the least is left (Arenas-Garcia et al. 2006), and takes the mix out of
/// the microphone as far as it helps.
///
/// Both weights are projections on the microphone: near-end speech, which is not correlated with the estimates, does not
/// move them. The second switches a wrong filter off within about 60 ms.
package struct FilterCombination: ~Copyable {
    /// The mixed echo estimate, as much of it as there may be.
    package let echo: UnsafeMutablePointer<Complex>
    /// Its power.
    package let echoPower: UnsafeMutablePointer<Float>
    /// What is left of the microphone.
    package let error: UnsafeMutablePointer<Complex>
    /// Its power.
    package let errorPower: UnsafeMutablePointer<Float>
    private let bins: Int
    private let bandCount: Int
    /// Smoothed sums, one a band: Re (m - y₁)(y₂ - y₁)*, |y₂ - y₁|².
    private let mixAbove: UnsafeMutablePointer<Float>
    private let mixBelow: UnsafeMutablePointer<Float>
    /// Smoothed sums, one a band: Re m y*.
    package let projected: UnsafeMutablePointer<Float>
    /// |y|².
    package let estimated: UnsafeMutablePointer<Float>
    /// |m|².
    package let heard: UnsafeMutablePointer<Float>

    /// Memory of the sums that `projected`, `estimated` and `heard` are, a block.
    package var memory: Float { @_noLocks get { tuning.memory } }
    private let tuning: CombinationTuning

    /// A combination of spectra of `bins` bins.
    package init(bins: Int, bandCount: Int, tuning: CombinationTuning = CombinationTuning()) {
        self.tuning = tuning
        self.bins = bins
        self.bandCount = bandCount
        echo = clearedSpectrum(bins)
        error = clearedSpectrum(bins)
        echoPower = cleared(bins)
        errorPower = cleared(bins)
        mixAbove = cleared(5 * bandCount)
        mixBelow = mixAbove + bandCount
        projected = mixAbove + 2 * bandCount
        estimated = mixAbove + 3 * bandCount
        heard = mixAbove + 4 * bandCount
    }

    deinit {
        echo.deallocate()
        error.deallocate()
        echoPower.deallocate()
        errorPower.deallocate()
        mixAbove.deallocate()
    }

    /// Forgets how good the estimates were.
    @_noLocks
    package mutating func reset() {
        for index in 0..<5 &* bandCount { mixAbove[index] = 0 }
    }

    /// Takes the spectra of a block: microphone, and one or two echo estimates.
    @_noLocks
    package mutating func process(
        microphone: UnsafePointer<Complex>, kalman: UnsafePointer<Complex>, speex: UnsafePointer<Complex>?,
        bands: borrowing FrequencyBands
    ) {
        for band in 0..<bandCount {
            let range = bands.bins(of: band)
            if let speex {
                mix(microphone, kalman, speex, band: band, range: range)
            } else {
                for bin in range { echo[bin] = kalman[bin] }
            }
            subtract(from: microphone, band: band, range: range)
        }
        limit(to: microphone)
    }

    @_noLocks
    private func mix(
        _ microphone: UnsafePointer<Complex>, _ kalman: UnsafePointer<Complex>, _ speex: UnsafePointer<Complex>,
        band: Int, range: Range<Int>
    ) {
        var above: Float = 0
        var below: Float = 0
        for bin in range {
            let re = kalman[bin].re - speex[bin].re
            let im = kalman[bin].im - speex[bin].im
            above += (microphone[bin].re - speex[bin].re) * re + (microphone[bin].im - speex[bin].im) * im
            below += re * re + im * im
        }
        mixAbove[band] = tuning.mixMemory * mixAbove[band] + above
        mixBelow[band] = tuning.mixMemory * mixBelow[band] + below + 1e-12
        let share = max(0, min(1, mixAbove[band] / mixBelow[band]))
        for bin in range {
            echo[bin].re = speex[bin].re + share * (kalman[bin].re - speex[bin].re)
            echo[bin].im = speex[bin].im + share * (kalman[bin].im - speex[bin].im)
        }
    }

    @_noLocks
    private func subtract(from microphone: UnsafePointer<Complex>, band: Int, range: Range<Int>) {
        var common: Float = 0
        var own: Float = 0
        var mic: Float = 0
        for bin in range {
            echoPower[bin] = echo[bin].square
            common += microphone[bin].re * echo[bin].re + microphone[bin].im * echo[bin].im
            own += echoPower[bin]
            mic += microphone[bin].square
        }
        projected[band] = tuning.memory * projected[band] + common
        estimated[band] = tuning.memory * estimated[band] + own + 1e-12
        heard[band] = tuning.memory * heard[band] + mic + 1e-12
        let ratio = projected[band] / estimated[band]
        let share: Float = ratio > tuning.whole ? 1 : max(0, ratio)
        for bin in range {
            error[bin].re = microphone[bin].re - share * echo[bin].re
            error[bin].im = microphone[bin].im - share * echo[bin].im
            errorPower[bin] = error[bin].square
        }
    }

    /// Holds what is left down to the power of the microphone, which wrong estimates could exceed.
    @_noLocks
    private func limit(to microphone: UnsafePointer<Complex>) {
        var before: Float = 0
        var after: Float = 0
        for bin in 0..<bins {
            before += microphone[bin].square
            after += errorPower[bin]
        }
        guard after > before else { return }
        let share = before / after
        let scale = FastMath.squareRoot(share)
        for bin in 0..<bins {
            error[bin].re *= scale
            error[bin].im *= scale
            errorPower[bin] *= share
        }
    }
}
