import DSP

/// The spectral half of echo control: judges how much of what the filters left is echo, and takes that away.
struct ResidualSuppressor: ~Copyable {
    /// Power of the echo that may have got through the gains, one a bin.
    let passed: UnsafeMutablePointer<Float>
    private let bins: Int
    private var floor: NoiseFloor
    private var residualEcho: ResidualEcho
    private var nearEnd: NearEndDetector
    private var proof = NearEndProof()
    private var gain: SuppressionGain
    private var comfort = ComfortNoise(seed: 0x5EED)

    init(rate: Int) {
        bins = rate / 100 + 1
        let bands = FrequencyBands(bins: bins, binHertz: 50)
        floor = NoiseFloor(bins: bins)
        residualEcho = ResidualEcho(bins: bins, bandCount: bands.count)
        nearEnd = NearEndDetector(bands: bands, binHertz: 50)
        gain = SuppressionGain(bins: bins)
        passed = cleared(bins)
    }

    deinit { passed.deallocate() }

    /// 0 ... 1.
    var nearEndPresence: Float { @_noLocks get { nearEnd.presence } }
    /// Whether somebody was heard beyond doubt lately.
    var nearEndIsProven: Bool { @_noLocks get { proof.isGiven } }
    /// Whether what is heard may be the room's tail after an echo.
    private(set) var mayBeTail = false
    /// The presence that gains may go by, 0 ... 1.
    private(set) var believedPresence: Float = 0
    /// Power of the room's noise, one a bin.
    var noise: UnsafeMutablePointer<Float> { @_noLocks get { floor.power } }
    /// 0 ... 1, one a bin.
    var gains: UnsafeMutablePointer<Float> { @_noLocks get { gain.gains } }
    /// Residual over echo, bands weighed by their echo.
    var meanLeak: Float { @_noLocks get { residualEcho.meanLeak } }

    /// The filters started anew.
    @_noLocks
    mutating func restart() {
        residualEcho.restart()
        nearEnd.restart()
        proof.restart()
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
                isProven: proof.isGiven),
            bands: estimator.bands)
        nearEnd.update(residual: left, echo: residualEcho.power, noise: floor.power, bands: estimator.bands)
        proof.update(
            residual: left, echo: residualEcho.source, noise: floor.power, bins: Self.lowestBin..<bins)
        if proof.mayBeTail {
            mayBeTail = true
        } else if proof.isHeard || !(nearEnd.presence > Self.somebody) {
            // Not sooner: what the tail passed for is not near end when the next echo begins.
            mayBeTail = false
        }
        believedPresence = nearEnd.presence * (1 - doubt)
        gain.update(residual: left, echo: residualEcho.power, nearEndPresence: believedPresence)
        if !isOpen { gain.close() }
        gain.pass(residualEcho.power, nearEndPresence: nearEnd.presence, into: passed)
    }

    /// How little a presence means, 0 ... 1: unproven, it may be what a loudspeaker that distorts leaves, the more of the
    /// echo is left: 4 % (-14 dB) of it or less speak for good filters and a talker, 16 % (-8 dB) or more for such a one.
    private var doubt: Float {
        @_noLocks get {
            guard !proof.isGiven else { return 0 }
            return max(0, min(1, (FastMath.decibels(power: residualEcho.meanLeak + 1e-9) + 14) / 6))
        }
    }
    /// From here on a presence counts as somebody who speaks.
    private static var somebody: Float { @_noLocks get { 0.5 } }
    /// Below 300 Hz rumble is louder than anybody.
    private static var lowestBin: Int { @_noLocks get { 6 } }

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
