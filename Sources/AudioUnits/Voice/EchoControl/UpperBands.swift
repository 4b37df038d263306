import DSP

/// Carries the judgement that was made at 16 kHz to a microphone with a higher rate.
///
/// Up to 7.8 kHz the echo estimate is taken out and the gains hold bin by bin. Above no filter cancels: there all of the echo
/// is residual echo. Its power is told from the reference's as below, its leakage learnt likewise, and the near-end presence
/// found at 16 kHz makes the gains hard or soft.
struct UpperBands: ~Copyable {
    /// What is left of the microphone before gains, `bins` of them, at the unit's rate.
    let spectrum: UnsafeMutablePointer<Complex>
    /// The microphone itself.
    var whole: UnsafePointer<Complex> {
        @_noLocks get { UnsafePointer(microphone.spectrum) }
    }
    /// Its power.
    var wholePower: UnsafePointer<Float> {
        @_noLocks get { UnsafePointer(microphone.power) }
    }
    /// Gains for it.
    let gains: UnsafeMutablePointer<Float>
    /// Power of the noise in it, and of the echo that may have got through the gains.
    let noise: UnsafeMutablePointer<Float>
    let passed: UnsafeMutablePointer<Float>
    let bins: Int
    /// What values of the lower rate's spectra, and powers, are times as much here: the rates' ratio, and what the decimator
    /// takes.
    private let scale: UnsafeMutablePointer<Float>
    private let powerScale: UnsafeMutablePointer<Float>
    /// Bins from `crossover` on, and the bands they are judged in.
    private let upperBins: Int
    private let bands: FrequencyBands
    private var microphone: SpectralAnalysis
    private var reference: SpectralAnalysis
    private var floor: NoiseFloor
    private var pathGain: PathGain
    private var residualEcho: ResidualEcho
    private var gain: SuppressionGain
    private let nothing: UnsafeMutablePointer<Float>

    /// Bins of 50 Hz: up to where the decimator leaves enough (-16 dB at 7.8 kHz) and what it lets fold over is far below
    /// that (-57 dB), and from where on gains are averaged for what lies above.
    static var crossover: Int { @_noLocks get { 156 } }
    private static var firstAveraged: Int { @_noLocks get { 100 } }

    /// - Parameters:
    ///   - block: frames of 10 ms at the unit's rate.
    ///   - factor: that rate over 16 kHz.
    ///   - amplitudes: what the decimator leaves of each bin's amplitude, up to `crossover`.
    init(block: Int, factor: Int, amplitudes: [Float], tuning: VoiceTuning) throws(AudioUnitError) {
        let microphone = try SpectralAnalysis(block: block)
        let reference = try SpectralAnalysis(block: block)
        self.microphone = microphone
        self.reference = reference
        bins = block + 1
        upperBins = bins - Self.crossover
        scale = cleared(Self.crossover)
        powerScale = cleared(Self.crossover)
        for bin in 0..<Self.crossover {
            scale[bin] = Float(factor) / amplitudes[bin]
            powerScale[bin] = scale[bin] * scale[bin]
        }
        bands = FrequencyBands(bins: upperBins, binHertz: 50, lowest: Double(Self.crossover) * 50)
        floor = NoiseFloor(bins: upperBins, tuning: tuning.suppression.floor)
        pathGain = PathGain(bins: upperBins, tuning: tuning.cancellation.pathGain)
        residualEcho = ResidualEcho(
            bins: upperBins, bandCount: bands.count, tuning: tuning.suppression, activity: tuning.activity)
        gain = SuppressionGain(bins: upperBins, tuning: tuning.suppression.gain)
        spectrum = clearedSpectrum(bins)
        gains = cleared(bins)
        noise = cleared(bins)
        passed = cleared(bins)
        nothing = cleared(upperBins)
    }

    deinit {
        spectrum.deallocate()
        gains.deallocate()
        noise.deallocate()
        passed.deallocate()
        nothing.deallocate()
        scale.deallocate()
        powerScale.deallocate()
    }

    /// The filters started anew; how strong the echo is gets measured anew too.
    @_noLocks
    mutating func restart() {
        pathGain.restart()
        residualEcho.restart()
    }

    /// Takes in a block of microphone and reference, with the spectra of what the microphone was before and after the
    /// filters at 16 kHz. `hasEcho`: whether the far end speaks and stands in the right place.
    @_noLocks
    mutating func subtract(
        _ signals: borrowing SignalConditioner, lower: UnsafePointer<Complex>, remainder: UnsafePointer<Complex>,
        hasEcho: Bool
    ) {
        microphone.process(signals.wide)
        reference.process(signals.wideReference)
        let crossover = Self.crossover
        for bin in 0..<crossover {
            let whole = microphone.spectrum[bin]
            spectrum[bin].re = whole.re - scale[bin] * (lower[bin].re - remainder[bin].re)
            spectrum[bin].im = whole.im - scale[bin] * (lower[bin].im - remainder[bin].im)
        }
        for bin in crossover..<bins { spectrum[bin] = microphone.spectrum[bin] }
        floor.update(microphone.power + crossover, echo: residualEcho.power)
        if hasEcho {
            _ = pathGain.update(microphone: microphone.power + crossover, reference: reference.power + crossover)
        }
    }

    /// Takes over gains, noise and near-end presence of the lower rate, and judges what lies above. Not `isOpen`, nothing
    /// gets through.
    @_noLocks
    mutating func judge(_ below: borrowing ResidualSuppressor, isOpen: Bool) {
        let (lower, lowerNoise, presence) = (below.gains, below.noise, below.believedPresence)
        let crossover = Self.crossover
        var mean: Float = 0
        for bin in 0..<crossover {
            gains[bin] = lower[bin]
            noise[bin] = powerScale[bin] * lowerNoise[bin]
            passed[bin] = powerScale[bin] * below.passed[bin]
            if bin >= Self.firstAveraged { mean += lower[bin] }
        }
        mean /= Float(crossover &- Self.firstAveraged)
        let left = microphone.power + crossover
        residualEcho.update(
            ResidualEcho.Observation(
                echo: nothing, reference: reference.power + crossover, residual: left, noise: floor.power,
                gains: pathGain.ratios, missed: nothing, nearEndPresence: below.nearEndPresence,
                isConfirmed: below.nearEndIsConfirmed),
            bands: bands)
        gain.update(residual: left, echo: residualEcho.power, nearEndPresence: presence)
        // Where the far end speaks alone, what a loudspeaker adds of its own up there goes with what it plays below.
        let most = isOpen ? mean + presence * (1 - mean) : 0
        for bin in 0..<upperBins {
            gains[crossover &+ bin] = min(gain.gains[bin], most)
            noise[crossover &+ bin] = floor.power[bin]
        }
        gain.pass(residualEcho.power, nearEndPresence: below.nearEndPresence, into: passed + crossover)
    }
}
