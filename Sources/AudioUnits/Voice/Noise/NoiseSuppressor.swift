import DSP

/// Takes background noise out of a spectrum, 10 ms after 10 ms: log-spectral amplitude estimation (Ephraim and Malah 1985)
/// against the noise that `NoisePower` follows.
///
/// ```
/// spectrum -> power -> NoisePower -> ratios of speech to noise, before and after this block -> LogSpectralGain -> gain
///    `---------------------------------------------------------------------------------------------------------> x
/// ```
/// Works between analysis and synthesis of echo control, on what the residual suppressor leaves, so it adds no delay. Bins are
/// 50 Hz apart at any rate. Switched off it goes on learning.
package struct NoiseSuppressor: ~Copyable {
    /// Gains of the last block, one a bin.
    package let gains: UnsafeMutablePointer<Float>
    private let tuning: NoiseSuppressorTuning
    private let bins: Int
    private var noise: NoisePower
    private let estimator = LogSpectralGain()
    private let power: UnsafeMutablePointer<Float>
    /// Power of the speech that came out of the last block.
    private let speech: UnsafeMutablePointer<Float>
    private let floor: Float

    /// - Parameters:
    ///   - rate: of the signal in Hz; its spectra have `rate / 100 + 1` bins.
    ///   - strongestDecibels: what is left of noise, -40 ... 0.
    package init(
        rate: Int, strongestDecibels: Double, tuning: NoiseTuning = NoiseTuning()
    ) throws(AudioUnitError) {
        guard VoiceProcessingIO.sampleRates.contains(Double(rate)), rate % 100 == 0 else {
            throw .outOfRange(setting: "noise suppressor rate", allowed: "8000 to 48000 in steps of 100")
        }
        guard -40...0 ~= strongestDecibels else {
            throw .outOfRange(setting: "noiseSuppressionDecibels", allowed: "-40 to 0")
        }
        bins = rate / 100 + 1
        noise = NoisePower(bins: bins, tuning: tuning.power)
        self.tuning = tuning.suppressor
        power = cleared(bins)
        speech = cleared(bins)
        gains = cleared(bins)
        for bin in 0..<bins { gains[bin] = 1 }
        floor = linear(strongestDecibels)
    }

    deinit {
        gains.deallocate()
        power.deallocate()
        speech.deallocate()
    }

    /// Takes the noise out of `spectrum` in place; not `isActive`, it only learns.
    ///
    /// `echo`: power of the echo that may still be in it, one a bin. The noise hid this echo; without the noise it would be
    /// heard, so both are taken out together.
    @_noLocks
    package mutating func process(
        _ spectrum: UnsafeMutablePointer<Complex>, echo: UnsafePointer<Float>? = nil, isActive: Bool
    ) {
        for bin in 0..<bins {
            let value = spectrum[bin].square
            // Bins that are no numbers are silence, before and after.
            power[bin] = value < 1e12 ? value : 0
        }
        noise.update(power)
        guard isActive else { return }
        let (past, new) = (tuning.memory, 1 - tuning.memory)
        for bin in 0..<bins {
            let against = 1 / (noise.power[bin] + (echo?[bin] ?? 0))
            let posterior = min(power[bin] * against, tuning.mostPosterior)
            let ratio = past * speech[bin] * against + new * max(posterior - 1, 0)
            let prior = max(ratio, tuning.leastPrior)
            let gain = min(1, max(floor, estimator.gain(prior: prior, posterior: posterior)))
            gains[bin] = gain
            speech[bin] = gain * gain * power[bin]
        }
        for bin in 0..<bins {
            let gain = power[bin] > 0 ? gains[bin] : 0
            // A gain of 0 does not make a number of what is none.
            spectrum[bin].re = power[bin] > 0 ? spectrum[bin].re * gain : 0
            spectrum[bin].im = power[bin] > 0 ? spectrum[bin].im * gain : 0
        }
    }
}
