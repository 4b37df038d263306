import DSP

/// Takes the echo of the reference out of the microphone: linear filters, residual suppression, comfort noise.
///
/// ```
/// reference -> SignalConditioner -> KalmanFilter, SpeexEcho ---> FilterCombination -> residual
/// microphone ->       "          ------------------------------------^                    |
///              ResidualEcho, NearEndDetector -> SuppressionGain -> ComfortNoise -> NoiseSuppressor -> OverlapAdd -> output
/// ```
/// Works on blocks of 10 ms at `rate`, and adds exactly one block of delay. Rates over 16 kHz that are a multiple of it are
/// judged at 16 kHz (`processingRate`). Samples have full scale 1, spectra are those of `SpectralAnalysis`.
package struct EchoController: ~Copyable {
    /// Hz, of the blocks that go in and out.
    package let rate: Int
    /// Frames of these blocks: 10 ms.
    package let blockFrames: Int
    /// Hz, of the blocks that the filters see, and twice the highest frequency of the spectra.
    package let processingRate: Int
    /// Frames of the blocks that the filters see: 10 ms.
    package let processingFrames: Int
    /// What the last block told.
    package private(set) var readings = EchoControlReadings()
    private var signals: SignalConditioner
    private var estimator: EchoEstimator
    private var suppressor: ResidualSuppressor
    private var noiseSuppressor: NoiseSuppressor
    private var gate: StartGate
    private var cancellation: CancellationMeter
    private let tuning: EchoControlTuning
    /// Where the unit's rate is higher than the processing rate.
    private let upper: UnsafeMutablePointer<UpperBands>?
    private var synthesis: OverlapAdd
    private var linearSynthesis: OverlapAdd
    private let outgoing: UnsafeMutablePointer<Complex>
    private var wasLocked = false

    /// Whether blocks at `rate` Hz can be processed: 8, 12, 16, 24, 32, 48 kHz.
    package static func supports(rate: Int) -> Bool { [8_000, 12_000, 16_000, 24_000, 32_000, 48_000].contains(rate) }

    /// - Parameter noiseDecibels: what noise suppression leaves of noise at least, -40 ... 0.
    package init(
        rate: Int, effort: EchoControlEffort, noiseDecibels: Double = -15, tuning: VoiceTuning = VoiceTuning()
    ) throws(AudioUnitError) {
        guard Self.supports(rate: rate) else {
            throw .formatUnsupported(
                StreamFormat(sampleRate: Double(rate)), reason: "echo control runs at 8, 12, 16, 24, 32 or 48 kHz")
        }
        let factor = rate > 16_000 && rate % 16_000 == 0 ? rate / 16_000 : 1
        // All that can fail comes before the first property.
        let signals = try SignalConditioner(rate: rate, factor: factor, tuning: tuning.cancellation.signals)
        let estimator = try EchoEstimator(
            rate: rate / factor, effort: effort, tuning: tuning.cancellation, activity: tuning.activity)
        let noiseSuppressor = try NoiseSuppressor(rate: rate, strongestDecibels: noiseDecibels, tuning: tuning.noise)
        let synthesis = try OverlapAdd(block: rate / 100)
        let linearSynthesis = try OverlapAdd(block: rate / 100)
        upper = try Self.makeUpperBands(
            rate: rate, factor: factor, amplitudes: signals.amplitudes(bins: UpperBands.crossover),
            tuning: tuning)
        self.signals = signals
        self.estimator = estimator
        self.noiseSuppressor = noiseSuppressor
        self.synthesis = synthesis
        self.linearSynthesis = linearSynthesis
        self.rate = rate
        blockFrames = rate / 100
        processingRate = rate / factor
        processingFrames = processingRate / 100
        suppressor = ResidualSuppressor(
            rate: rate / factor, tuning: tuning.suppression, activity: tuning.activity)
        gate = StartGate(tuning: tuning.suppression.gate)
        cancellation = CancellationMeter(rate: tuning.cancellation.control.cancellationRate)
        self.tuning = tuning.cancellation.control
        outgoing = clearedSpectrum(rate / 100 + 1)
    }

    private static func makeUpperBands(
        rate: Int, factor: Int, amplitudes: [Float], tuning: VoiceTuning
    ) throws(AudioUnitError) -> UnsafeMutablePointer<UpperBands>? {
        guard factor > 1 else { return nil }
        let bands = try UpperBands(block: rate / 100, factor: factor, amplitudes: amplitudes, tuning: tuning)
        let place = UnsafeMutablePointer<UpperBands>.allocate(capacity: 1)
        place.initialize(to: bands)
        return place
    }

    deinit {
        outgoing.deallocate()
        upper?.deinitialize(count: 1)
        upper?.deallocate()
    }

    /// Age of the oldest sample of a block that comes out over that of the block that went in: one block.
    package var delayFrames: Int {
        @_noLocks get { blockFrames }
    }

    /// The last two blocks of the microphone as the filters see it (delayed by 1.25 ms, without the lowest frequencies), under the
    /// analysis window: `processingFrames + 1` bins. Valid until the next `process`.
    package var microphoneSpectrum: UnsafePointer<Complex> {
        @_noLocks get { UnsafePointer(estimator.microphoneSpectrum) }
    }
    /// The same of the Kalman filter's estimate of the echo in it: with it, all that the drift loop needs.
    package var echoSpectrum: UnsafePointer<Complex> {
        @_noLocks get { UnsafePointer(estimator.kalmanSpectrum) }
    }

    /// Works more or less from the next block on.
    @_noLocks
    package mutating func setEffort(_ effort: EchoControlEffort) { estimator.setEffort(effort) }

    /// One block of 10 ms: `microphone`, and the `reference` that was (about) at the loudspeaker while it was taken, aligned
    /// a little early. `output` may be `microphone`; `linear` gets what the filters alone leave, in step with `output`.
    /// What is not asked for goes on learning.
    @_noLocks
    package mutating func process(
        microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>, alignment: ReferenceAlignment,
        cancels: Bool = true, suppressesNoise: Bool = false, into output: UnsafeMutablePointer<Float>,
        linear: UnsafeMutablePointer<Float>? = nil
    ) {
        signals.process(microphone: microphone, reference: reference)
        if alignment.hasMoved || (alignment.isLocked && !wasLocked) { startAnew(hasMoved: true) }
        wasLocked = alignment.isLocked
        let learnt = estimator.process(
            signals, alignment: alignment, nearEndPresence: suppressor.nearEndPresence)
        gate.update(
            farIsActive: alignment.farIsActive, pathIsKnown: alignment.isLocked && estimator.pathIsKnown,
            hasNoEcho: alignment.hasNoEcho, microphonePower: meanPower(signals.microphone, count: processingFrames))
        // Until now nothing was known of the residual: what it was taken for was no near end.
        if learnt { suppressor.restart() }
        suppressor.update(estimator, isOpen: !gate.isClosed)
        cancellation.update(estimator, farIsActive: alignment.farIsActive)
        shape(linear: linear, hasEcho: alignment.isLocked && alignment.farIsActive)
        if !cancels {
            let whole = upper?.pointee.whole ?? UnsafePointer(estimator.microphoneSpectrum)
            for bin in 0...blockFrames { outgoing[bin] = whole[bin] }
        }
        let passed = UnsafePointer(upper?.pointee.passed ?? suppressor.passed)
        noiseSuppressor.process(outgoing, echo: cancels ? passed : nil, isActive: suppressesNoise)
        synthesis.process(outgoing, into: output)
        readings.pathHasChanged = estimator.pathHasChanged(noise: suppressor.noise, farIsActive: alignment.farIsActive)
        if readings.pathHasChanged { startAnew(hasMoved: false) }
        readings.nearEndPresence = suppressor.nearEndPresence
        readings.nearEndIsConfirmed = suppressor.nearEndIsConfirmed
        readings.mayBeTail = suppressor.mayBeTail
        readings.cancellation = cancellation.ratio
        readings.phase = phase(alignment)
    }

    /// Forgets the room.
    @_noLocks
    package mutating func reset() {
        startAnew(hasMoved: true)
        gate.restart()
        wasLocked = false
        readings = EchoControlReadings()
    }

    @_noLocks
    private mutating func startAnew(hasMoved: Bool) {
        estimator.restart(forgettingReference: hasMoved)
        suppressor.restart()
        upper?.pointee.restart()
        cancellation.restart()
    }

    /// What is left of the echo's block, in `outgoing`.
    @_noLocks
    private mutating func shape(linear: UnsafeMutablePointer<Float>?, hasEcho: Bool) {
        if let upper {
            upper.pointee.subtract(
                signals, lower: estimator.microphoneSpectrum, remainder: estimator.residual, hasEcho: hasEcho)
            upper.pointee.judge(suppressor, isOpen: !gate.isClosed)
            if let linear { linearSynthesis.process(upper.pointee.spectrum, into: linear) }
            suppressor.shape(
                upper.pointee.spectrum, gains: upper.pointee.gains, noise: upper.pointee.noise,
                microphone: upper.pointee.wholePower, bins: upper.pointee.bins, into: outgoing)
        } else {
            if let linear { linearSynthesis.process(estimator.residual, into: linear) }
            suppressor.shape(
                estimator.residual, gains: suppressor.gains, noise: suppressor.noise,
                microphone: estimator.microphonePower, bins: processingFrames &+ 1, into: outgoing)
        }
    }

    @_noLocks
    private func phase(_ alignment: ReferenceAlignment) -> EchoControlPhase {
        if readings.phase == .waiting && !alignment.farIsActive { return .waiting }
        guard alignment.isLocked && estimator.pathIsKnown else { return .acquiring }
        let limit = readings.phase == .tracking ? tuning.keptLeakage : tuning.trackingLeakage
        return suppressor.meanLeakage < limit ? .tracking : .converging
    }
}
