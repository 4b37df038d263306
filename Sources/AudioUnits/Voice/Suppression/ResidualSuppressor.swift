import DSP

/// The spectral half of echo control: judges how much of what the filters left is echo, and takes that away.
struct ResidualSuppressor: ~Copyable {
    /// Power of the echo that may have got through the gains, one a bin.
    let passed: UnsafeMutablePointer<Float>
    private let bins: Int
    private var floor: NoiseFloor
    private var residualEcho: ResidualEcho
    private var nearEnd: NearEndDetector
    private var confirmation: NearEndConfirmation
    private var gain: SuppressionGain
    private var comfort: ComfortNoise
    private let tuning: SuppressorTuning
    private let surePresence: Float

    init(rate: Int, tuning: SuppressionTuning, activity: ActivityTuning) {
        self.tuning = tuning.suppressor
        surePresence = activity.surePresence
        bins = rate / 100 + 1
        let bands = FrequencyBands(bins: bins, binHertz: 50)
        floor = NoiseFloor(bins: bins, tuning: tuning.floor)
        residualEcho = ResidualEcho(bins: bins, bandCount: bands.count, tuning: tuning, activity: activity)
        nearEnd = NearEndDetector(bands: bands, binHertz: 50, tuning: tuning.nearEnd)
        gain = SuppressionGain(bins: bins, tuning: tuning.gain)
        comfort = ComfortNoise(seed: 0x5EED, tuning: tuning.comfort)
        confirmation = NearEndConfirmation(tuning: tuning.confirmation, tail: tuning.tail)
        passed = cleared(bins)
    }

    deinit { passed.deallocate() }

    /// 0 ... 1.
    var nearEndPresence: Float { @_noLocks get { nearEnd.presence } }
    /// Whether somebody is confirmed to have been heard lately.
    var nearEndIsConfirmed: Bool { @_noLocks get { confirmation.isConfirmed } }
    /// Whether what is heard may be the room's tail after an echo.
    private(set) var mayBeTail = false
    /// The presence that gains may go by, 0 ... 1.
    private(set) var believedPresence: Float = 0
    /// Power of the room's noise, one a bin.
    var noise: UnsafeMutablePointer<Float> { @_noLocks get { floor.power } }
    /// 0 ... 1, one a bin.
    var gains: UnsafeMutablePointer<Float> { @_noLocks get { gain.gains } }
    /// Residual over echo, bands weighed by their echo.
    var meanLeakage: Float { @_noLocks get { residualEcho.meanLeakage } }

    /// The filters started anew.
    @_noLocks
    mutating func restart() {
        residualEcho.restart()
        nearEnd.restart()
        confirmation.restart()
        mayBeTail = false
    }

    /// Judges a block. Not `isOpen`: nothing gets through.
    @_noLocks
    mutating func update(_ estimator: borrowing EchoEstimator, isOpen: Bool) {
        let left = estimator.residualPower
        floor.update(left, echo: residualEcho.power)
        residualEcho.update(
            ResidualEcho.Observation(
                echo: estimator.echoPower, reference: estimator.referencePower, residual: left, noise: floor.power,
                gains: estimator.pathGains, missed: estimator.missedPower, nearEndPresence: nearEnd.presence,
                isConfirmed: confirmation.isConfirmed),
            bands: estimator.bands)
        nearEnd.update(residual: left, echo: residualEcho.power, noise: floor.power, bands: estimator.bands)
        confirmation.update(
            residual: left, echo: residualEcho.source, noise: floor.power, bins: tuning.lowestBin..<bins)
        if confirmation.mayBeTail {
            mayBeTail = true
        } else if confirmation.isHeard || !(nearEnd.presence > surePresence) {
            // Not sooner: what the tail passed for is not near end when the next echo begins.
            mayBeTail = false
        }
        believedPresence = nearEnd.presence * (1 - distortion)
        gain.update(residual: left, echo: residualEcho.power, nearEndPresence: believedPresence)
        if !isOpen { gain.close() }
        gain.pass(residualEcho.power, nearEndPresence: nearEnd.presence, into: passed)
    }

    /// How likely an unconfirmed presence is what a loudspeaker that distorts leaves, 0 ... 1: the more of the echo is left.
    private var distortion: Float {
        @_noLocks get {
            guard !confirmation.isConfirmed else { return 0 }
            let leakage = FastMath.decibels(power: residualEcho.meanLeakage + 1e-9)
            return max(0, min(1, (leakage - tuning.distortionFrom) / tuning.distortionRange))
        }
    }

    /// Puts gains on a spectrum and noise in place of what they take; `microphone` is the power that came in.
    @_noLocks
    mutating func shape(
        _ spectrum: UnsafePointer<Complex>, gains: UnsafePointer<Float>, noise: UnsafePointer<Float>,
        microphone: UnsafePointer<Float>, bins: Int, into output: UnsafeMutablePointer<Complex>
    ) {
        for bin in 0..<bins {
            output[bin].re = gains[bin] * spectrum[bin].re
            output[bin].im = gains[bin] * spectrum[bin].im
        }
        comfort.fill(
            output, gains: gains, noise: noise, microphone: microphone, nearEndPresence: believedPresence,
            bins: Range(uncheckedBounds: (0, bins)))
    }
}
