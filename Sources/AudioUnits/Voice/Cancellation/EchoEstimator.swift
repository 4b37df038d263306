import DSP

/// The linear half of echo control: two filters, their mix, and what is left of the microphone.
struct EchoEstimator: ~Copyable {
    let bins: Int
    /// The Kalman filter's estimate, a block.
    let kalmanEcho: UnsafeMutablePointer<Float>
    private let tuning: EchoEstimatorTuning
    private let surePresence: Float
    private let block: Int
    private let speexEcho: UnsafeMutablePointer<Float>
    private let kalmanError: UnsafeMutablePointer<Float>
    private var kalman: KalmanFilter
    /// SpeexDSP's filter with its short tail, for medium effort, and with its long one, for high; the other rests.
    private let speexFilters: UnsafeMutablePointer<SpeexEcho>
    private var effort: EchoControlEffort
    /// Blocks until SpeexDSP's estimate counts: its filters of the microphone start from nothing after a rest.
    private var speexSettling = 0
    private var pathGain: PathGain
    private var microphone: SpectralAnalysis
    /// Of the last two blocks, one a bin.
    let referencePower: UnsafeMutablePointer<Float>
    private var kalmanAnalysis: SpectralAnalysis
    private var speexAnalysis: SpectralAnalysis
    private var combination: FilterCombination
    private var changeDetector: PathChangeDetector
    private let bandNoise: UnsafeMutablePointer<Float>
    let bands: FrequencyBands
    /// Far-end speech since the filters started, in blocks.
    private var farBlocks = 0

    init(
        rate: Int, effort: EchoControlEffort, tuning: CancellationTuning, activity: ActivityTuning
    ) throws(AudioUnitError) {
        let block = rate / 100
        // All that can fail comes before the first property.
        let kalman = try KalmanFilter(
            block: block, partitions: tuning.estimator.kalmanBlocks, tuning: tuning.kalman)
        let microphone = try SpectralAnalysis(block: block)
        let kalmanAnalysis = try SpectralAnalysis(block: block)
        let speexAnalysis = try SpectralAnalysis(block: block)
        speexFilters = try Self.makeSpeexFilters(rate: rate, tuning: tuning.estimator)
        self.tuning = tuning.estimator
        surePresence = activity.surePresence
        changeDetector = PathChangeDetector(tuning: tuning.pathChange)
        self.effort = effort
        self.kalman = kalman
        self.kalman.constraints = effort.constraints
        self.microphone = microphone
        self.kalmanAnalysis = kalmanAnalysis
        self.speexAnalysis = speexAnalysis
        self.block = block
        bins = block + 1
        bands = FrequencyBands(bins: bins, binHertz: 50)
        pathGain = PathGain(bins: bins, tuning: tuning.pathGain)
        combination = FilterCombination(bins: bins, bandCount: bands.count, tuning: tuning.combination)
        kalmanEcho = cleared(block)
        speexEcho = cleared(block)
        kalmanError = cleared(block)
        bandNoise = cleared(bands.count)
        referencePower = cleared(bins)
    }

    /// What comes later than SpeexDSP's filters are long is weak, and the Kalman filter has it.
    private static func makeSpeexFilters(
        rate: Int, tuning: EchoEstimatorTuning
    ) throws(AudioUnitError) -> UnsafeMutablePointer<SpeexEcho> {
        let short = try SpeexEcho(block: rate / 100, tailFrames: tuning.shortSpeexBlocks * (rate / 100), rate: rate)
        let long = try SpeexEcho(block: rate / 100, tailFrames: tuning.longSpeexBlocks * (rate / 100), rate: rate)
        let pair = UnsafeMutablePointer<SpeexEcho>.allocate(capacity: 2)
        pair.initialize(to: short)
        (pair + 1).initialize(to: long)
        return pair
    }

    deinit {
        kalmanEcho.deallocate()
        speexEcho.deallocate()
        kalmanError.deallocate()
        bandNoise.deallocate()
        referencePower.deallocate()
        speexFilters.deinitialize(count: 2)
        speexFilters.deallocate()
    }

    /// SpeexDSP's filter that runs; none where the effort is low.
    private var speex: UnsafeMutablePointer<SpeexEcho>? {
        @_noLocks get {
            switch effort {
            case .low: nil
            case .medium: speexFilters
            case .high: speexFilters + 1
            }
        }
    }

    /// Does more or less from the next block on. A filter that has rested knows nothing of the path; until it does, the
    /// combination leaves the echo to the Kalman filter.
    @_noLocks
    mutating func setEffort(_ effort: EchoControlEffort) {
        guard effort != self.effort else { return }
        self.effort = effort
        kalman.constraints = effort.constraints
        speex?.pointee.reset()
        speexSettling = tuning.settlingBlocks
    }

    /// Whether it is known how strong the echo is; the filters learn from then on.
    var pathIsKnown: Bool { @_noLocks get { pathGain.isKnown } }

    var microphoneSpectrum: UnsafeMutablePointer<Complex> { @_noLocks get { microphone.spectrum } }
    var kalmanSpectrum: UnsafeMutablePointer<Complex> { @_noLocks get { kalmanAnalysis.spectrum } }
    /// What is left of the microphone.
    var residual: UnsafeMutablePointer<Complex> { @_noLocks get { combination.error } }
    var microphonePower: UnsafeMutablePointer<Float> { @_noLocks get { microphone.power } }
    var residualPower: UnsafeMutablePointer<Float> { @_noLocks get { combination.errorPower } }
    var echoPower: UnsafeMutablePointer<Float> { @_noLocks get { combination.echoPower } }
    /// Power gain of the echo path.
    var pathGains: UnsafeMutablePointer<Float> { @_noLocks get { pathGain.ratios } }
    /// Power that the Kalman filter expects of the echo it misses.
    var missedPower: UnsafeMutablePointer<Float> { @_noLocks get { kalman.missedPower } }

    /// Forgets the path; how strong its echo is gets measured anew.
    @_noLocks
    mutating func restart(forgettingReference: Bool) {
        kalman.reset()
        if forgettingReference { kalman.forgetReference() }
        speex?.pointee.reset()
        pathGain.restart()
        combination.reset()
        changeDetector.restart()
        farBlocks = 0
    }

    /// One block; true when the strength of the echo became known by it.
    @_noLocks
    mutating func process(
        _ signals: borrowing SignalConditioner, alignment: ReferenceAlignment, nearEndPresence: Float
    ) -> Bool {
        microphone.process(signals.microphone)
        kalman.filter(signals.reference, into: kalmanEcho)
        kalman.referencePower(into: referencePower)
        kalmanAnalysis.process(kalmanEcho)
        if let speex, pathIsKnown {
            speex.pointee.process(
                plain: signals.plain, notched: signals.microphone, reference: signals.reference, into: speexEcho)
            speexAnalysis.process(speexEcho)
            if speexSettling > 0 { speexSettling &-= 1 }
            combination.process(
                microphone: microphone.spectrum, kalman: kalmanAnalysis.spectrum,
                speex: speexSettling == 0 ? speexAnalysis.spectrum : nil, bands: bands)
        } else {
            combination.process(
                microphone: microphone.spectrum, kalman: kalmanAnalysis.spectrum, speex: nil, bands: bands)
        }
        learn(signals, nearEndPresence: nearEndPresence)
        guard alignment.isLocked, alignment.farIsActive else { return false }
        farBlocks = min(farBlocks &+ 1, 1_000_000)
        guard pathGain.update(microphone: microphone.power, reference: referencePower) else { return false }
        kalman.start(gains: pathGain.ratios)
        farBlocks = 0
        return true
    }

    /// Bold while nothing is known and the far end speaks alone, for the first seconds of its speech.
    @_noLocks
    private mutating func learn(_ signals: borrowing SignalConditioner, nearEndPresence: Float) {
        for index in 0..<block { kalmanError[index] = signals.microphone[index] - kalmanEcho[index] }
        let isBold = farBlocks < tuning.boldBlocks
        let isLearning = farBlocks < tuning.learningBlocks
        var noiseWeight: Float = 1
        if isBold {
            if nearEndPresence < surePresence { noiseWeight = tuning.boldWeight }
        } else if isLearning {
            noiseWeight = tuning.learningWeight
        }
        kalman.adapt(
            error: kalmanError, noiseWeight: noiseWeight, memory: isLearning ? tuning.memoryAtFirst : tuning.memory)
    }

    /// Whether what the filters know is in the way; where it is so only in part, they learn faster from now on. `noise`:
    /// power, one a bin.
    @_noLocks
    mutating func pathHasChanged(noise: UnsafePointer<Float>, farIsActive: Bool) -> Bool {
        guard pathIsKnown else { return false }
        bands.add(noise, into: bandNoise)
        // As much as the combination's sums hold of it.
        let power = bandNoise  // `bandNoise[band] /= ...` breaks the compiler under ThreadSanitizer (6.3)
        for band in 0..<bands.count { power[band] /= 1 - combination.memory }
        switch changeDetector.update(
            combination, noise: bandNoise, bandCount: bands.count, farIsActive: farIsActive)
        {
        case .none: return false
        case .partly:
            kalman.inflateVariance(to: tuning.changedVariance)
            return false
        case .wholly: return true
        }
    }
}
