import DSP

/// Carries the judgement that was made at 16 kHz to a microphone with a higher rate.
///
/// Up to 7 kHz the echo estimate is taken out and the gains hold bin by bin; above, where the loudspeaker's echo is weak
/// and nothing is estimated, the mean gain of 5 to 7 kHz holds.
struct UpperBands: ~Copyable {
    /// What is left of the microphone before gains, `bins` of them, at the unit's rate.
    let spectrum: UnsafeMutablePointer<Complex>
    /// The microphone itself.
    var whole: UnsafePointer<Complex> {
        @_noLocks get { UnsafePointer(analysis.spectrum) }
    }
    /// Gains for it.
    let gains: UnsafeMutablePointer<Float>
    /// Power of the noise in it.
    let noise: UnsafeMutablePointer<Float>
    let bins: Int
    private let factor: Float
    private var analysis: SpectralAnalysis
    private var floor: NoiseFloor

    /// Bins of 50 Hz: where the decimator begins to fall off, and from where on gains are averaged for what lies above.
    private static var crossover: Int { @_noLocks get { 140 } }
    private static var firstAveraged: Int { @_noLocks get { 100 } }

    /// - Parameters:
    ///   - block: frames of 10 ms at the unit's rate.
    ///   - factor: that rate over 16 kHz.
    init(block: Int, factor: Int) throws(AudioUnitError) {
        bins = block + 1
        self.factor = Float(factor)
        analysis = try SpectralAnalysis(block: block)
        floor = NoiseFloor(bins: bins)
        spectrum = clearedSpectrum(bins)
        gains = cleared(bins)
        noise = cleared(bins)
    }

    deinit {
        spectrum.deallocate()
        gains.deallocate()
        noise.deallocate()
    }

    /// Takes in a block of the microphone, with the spectra of what it was before and after the filters at 16 kHz.
    @_noLocks
    mutating func subtract(
        microphone: UnsafePointer<Float>, lower: UnsafePointer<Complex>, remainder: UnsafePointer<Complex>
    ) {
        analysis.process(microphone)
        for bin in 0..<Self.crossover {
            let whole = analysis.spectrum[bin]
            spectrum[bin] = Complex(
                whole.re - factor * (lower[bin].re - remainder[bin].re),
                whole.im - factor * (lower[bin].im - remainder[bin].im))
        }
        for bin in Self.crossover..<bins { spectrum[bin] = analysis.spectrum[bin] }
        floor.update(analysis.power)
    }

    /// Takes over the gains and the noise of the lower rate.
    @_noLocks
    mutating func adopt(gains lower: UnsafePointer<Float>, noise lowerNoise: UnsafePointer<Float>) {
        var mean: Float = 0
        for bin in 0..<Self.crossover {
            gains[bin] = lower[bin]
            noise[bin] = factor * factor * lowerNoise[bin]
            if bin >= Self.firstAveraged { mean += lower[bin] }
        }
        mean /= Float(Self.crossover &- Self.firstAveraged)
        for bin in Self.crossover..<bins {
            gains[bin] = mean
            noise[bin] = floor.power[bin]
        }
    }
}
