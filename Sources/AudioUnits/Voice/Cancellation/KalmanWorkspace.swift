import DSP

/// What a `KalmanFilter` computes in, and its estimate of everything in the microphone that is not echo.
struct KalmanWorkspace: BitwiseCopyable {
    /// The last two reference blocks.
    let reference: UnsafeMutablePointer<Float>
    let frame: UnsafeMutablePointer<Float>
    let spectrum: UnsafeMutablePointer<Complex>
    /// A spectrum in planes.
    let re: UnsafeMutablePointer<Float>
    let im: UnsafeMutablePointer<Float>
    /// Power of the echo that the estimate is expected to miss.
    let missed: UnsafeMutablePointer<Float>
    /// Step a unit of variance makes.
    let step: UnsafeMutablePointer<Float>
    /// Power of what is not echo, smoothed over about 100 ms, and with the newest block's peaks.
    private let noise: UnsafeMutablePointer<Float>
    private let noisePeak: UnsafeMutablePointer<Float>
    private let tuning: KalmanTuning
    private let errorPower: UnsafeMutablePointer<Float>

    init(block: Int, vectors: Int, tuning: KalmanTuning) {
        self.tuning = tuning
        reference = cleared(2 * block)
        frame = cleared(2 * block)
        spectrum = clearedSpectrum(block + 1)
        re = cleared(8 * vectors)
        im = cleared(8 * vectors)
        missed = cleared(8 * vectors)
        step = cleared(8 * vectors)
        noise = cleared(8 * vectors)
        noisePeak = cleared(8 * vectors)
        errorPower = cleared(8 * vectors)
    }

    func free() {
        reference.deallocate()
        frame.deallocate()
        spectrum.deallocate()
        for plane in [re, im, missed, step, noise, noisePeak, errorPower] { plane.deallocate() }
    }

    /// Planes to `spectrum`.
    @_noLocks
    func interleave(bins: Int) {
        spectrum.join(re, im, bins: bins)
    }

    /// `spectrum` to planes.
    @_noLocks
    func deinterleave(bins: Int) {
        UnsafePointer(spectrum).split(re, im, bins: bins)
    }

    @_noLocks
    func forgetNoise(bins: Int) {
        for bin in 0..<bins {
            noise[bin] = 0
            missed[bin] = 0
        }
    }

    /// Takes the error in `spectrum` into the noise estimate: near-end onsets count at once.
    @_noLocks
    func updateNoise(bins: Int) {
        UnsafePointer(spectrum).squares(into: errorPower, bins: bins)
        for bin in 0..<bins {
            let below = errorPower[bin > 0 ? bin &- 1 : 0]
            let above = errorPower[bin &+ 1 < bins ? bin &+ 1 : bin]
            noise[bin] = (1 - tuning.noiseRate) * noise[bin] + tuning.noiseRate * errorPower[bin] + 1e-15
            noisePeak[bin] = max(noise[bin], 0.25 * below + 0.5 * errorPower[bin] + 0.25 * above)
        }
    }

    /// step = 1 / (missed / 2 + 2 noiseWeight noise), by default.
    @_noLocks
    func updateStep(noiseWeight: Float, vectors: Int) {
        for index in 0..<vectors {
            let certain = tuning.noiseWeight * noiseWeight * noisePeak.vector(index)
            step.setVector(index, 1 / (tuning.missedShare * missed.vector(index) + certain + 1e-7))
        }
    }
}
