import DSP

/// Finds how long after the far end's signal its echo is in the microphone, from the two signals alone: 0 ... 540 ms.
///
/// Both go to 8 kHz; every 20 ms a `DelaySpectrum` correlates them and a `DelayLock` judges the peak. It listens only while
/// the microphone is over its own noise and the far end has spoken, so that neither silence nor noise can make it believe
/// something; in vain for three seconds of far-end speech, it listens to everything.
package struct DelayFinder: ~Copyable {
    /// What a block has found; delays in seconds.
    package enum Finding: BitwiseCopyable, Equatable {
        case nothing
        /// The first delay.
        case found(seconds: Double)
        /// Another delay than the one held.
        case moved(seconds: Double)
    }

    /// The longest delay that is found, in seconds.
    package static var longestSeconds: Double { @_noLocks get { 0.54 } }

    private let farDecimator: Resampler
    private let microphoneDecimator: Resampler
    private let farHandle: ResamplerHandle
    private let microphoneHandle: ResamplerHandle
    private var spectrum: DelaySpectrum
    private var lock: DelayLock
    private var absence: EchoAbsence
    private let tuning: DelayFinderTuning
    private let farThreshold: Float
    private let far: UnsafeMutablePointer<Float>
    private let microphone: UnsafeMutablePointer<Float>
    private var collected = 0
    /// Mean power of the microphone's pauses.
    private var floor: Float = 0
    /// Blocks since the far end spoke.
    private var farQuiet = Int.max / 2
    private var farSpeechBlocks = 0
    /// Blocks that the correlation has learnt from.
    private var judgedBlocks = 0

    private static var rate: Double { @_noLocks get { 8000 } }
    /// Blocks of 10 ms and some more than their 80 samples fit.
    private static var capacity: Int { @_noLocks get { 320 } }
    /// Blocks that an echo can be late.
    private static var echoBlocks: Int { @_noLocks get { 27 } }

    /// A finder for signals of `rate` Hz, 8000 ... 48,000.
    package init(
        rate: Int, tuning: AlignmentTuning = AlignmentTuning(), activity: ActivityTuning = ActivityTuning()
    ) throws(AudioUnitError) {
        let decimators: (far: Resampler, microphone: Resampler)
        do {
            decimators.far = try Resampler(from: rate, to: Int(Self.rate), quality: 2)
            decimators.microphone = try Resampler(from: rate, to: Int(Self.rate), quality: 2)
        } catch {
            throw .noResources(reason: "delay finder")
        }
        spectrum = try DelaySpectrum(tuning: tuning.spectrum)
        self.tuning = tuning.finder
        farThreshold = activity.farThreshold
        lock = DelayLock(tuning: tuning.lock)
        absence = EchoAbsence(tuning: tuning.absence, activity: activity)
        farDecimator = decimators.far
        microphoneDecimator = decimators.microphone
        farHandle = farDecimator.handle
        microphoneHandle = microphoneDecimator.handle
        far = cleared(Self.capacity)
        microphone = cleared(Self.capacity)
    }

    deinit {
        far.deallocate()
        microphone.deallocate()
    }

    /// How far the highest peak stands out of the correlation: its power over the mean.
    package var score: Float { @_noLocks get { lock.score } }

    /// Whether the microphone is loud without an echo in it, as far as can be told while no delay is found.
    package var hasNoEcho: Bool { @_noLocks get { absence.isLikely } }

    /// Takes in `count` samples of each signal, at most 10 ms.
    ///
    /// - Parameters:
    ///   - held: the delay the reference is placed for, in seconds; nil while it is not known.
    ///   - isCancelling: whether the filters take more than 5 dB off the echo.
    @_noLocks
    package mutating func process(
        far newFar: UnsafePointer<Float>, microphone newMicrophone: UnsafePointer<Float>, count: Int, held: Double?,
        isCancelling: Bool
    ) -> Finding {
        let room = Self.capacity &- collected
        let made = farHandle.process(newFar, count: count, into: far + collected, capacity: room)
        let heard = microphoneHandle.process(
            newMicrophone, count: count, into: microphone + collected, capacity: room)
        collected &+= min(made.produced, heard.produced)
        var finding = Finding.nothing
        while collected >= DelaySpectrum.blockLength {
            let result = block(held: held, isCancelling: isCancelling)
            if result != .nothing { finding = result }
            collected &-= DelaySpectrum.blockLength
            for index in 0..<collected {
                far[index] = far[DelaySpectrum.blockLength &+ index]
                microphone[index] = microphone[DelaySpectrum.blockLength &+ index]
            }
        }
        return finding
    }

    /// Forgets the correlation: the signals were moved against each other.
    @_noLocks
    package mutating func restart() {
        spectrum.restart()
        lock.restart()
        absence.restart()
        farQuiet = Int.max / 2
    }

    @_noLocks
    private mutating func block(held: Double?, isCancelling: Bool) -> Finding {
        let length = DelaySpectrum.blockLength
        for index in 0..<length {
            far[index] = bounded(far[index])
            microphone[index] = bounded(microphone[index])
        }
        let farPower = meanPower(far, count: length)
        let microphonePower = meanPower(microphone, count: length)
        let farSpeaks = farPower > farThreshold
        farQuiet = farSpeaks ? 0 : min(farQuiet &+ 1, 1_000_000)
        if farSpeaks { farSpeechBlocks &+= 1 }
        let isLoud = overFloor(microphonePower)
        if held == nil { absence.hear(far: farPower, microphone: microphonePower) }
        let isImpatient = held == nil && farSpeechBlocks > tuning.impatientBlocks
        let accumulates = farQuiet < Self.echoBlocks && (isLoud || isImpatient)
        // A filter that does not cancel may stand in the wrong place; then the past must not outweigh what is heard.
        spectrum.process(
            far: far, microphone: microphone, farSpeaks: farSpeaks, accumulates: accumulates,
            forgetsFast: held != nil && !isCancelling, haste: haste(held: held, isCancelling: isCancelling))
        guard accumulates, farSpeechBlocks >= tuning.leastFarBlocks else { return .nothing }
        judgedBlocks = min(judgedBlocks &+ 1, 1_000_000)
        var heldLag: Int?
        if let held { heldLag = lag(held) }
        let lags = spectrum.filledLags
        // Another place says nothing while the one that is held has not been looked at.
        if let heldLag, heldLag >= lags, lags < DelaySpectrum.lags { return .nothing }
        let verdict = lock.look(
            spectrum.correlation, lags: lags, held: heldLag, isCancelling: isCancelling,
            isEarly: judgedBlocks <= tuning.earlyBlocks)
        if held == nil, lags > 0 { absence.look(density: lock.density) }
        return switch verdict {
        case .unchanged: .nothing
        case .found(let lag): .found(seconds: Double(lag) / Self.rate)
        case .moved(let lag): .moved(seconds: Double(lag) / Self.rate)
        }
    }

    /// The first delay is waited for; one that works is only watched.
    @_noLocks
    private func haste(held: Double?, isCancelling: Bool) -> DelaySpectrum.Haste {
        if held == nil { return farSpeechBlocks < tuning.hurriedBlocks ? .now : .soon }
        return isCancelling ? .idle : .soon
    }

    /// A delay that is held may lie outside of what is looked at, by drift.
    @_noLocks
    private func lag(_ seconds: Double) -> Int { Int(max(-1, min(1, seconds)) * Self.rate) }

    /// Whether a block's power is 6 dB over the noise, which it helps to estimate.
    @_noLocks
    private mutating func overFloor(_ power: Float) -> Bool {
        if floor == 0 { floor = power }
        floor =
            power < floor
            ? (1 - tuning.floorFall) * floor + tuning.floorFall * power : floor * tuning.floorRise
        floor = max(floor, 1e-10)
        return power > tuning.overFloor * floor
    }
}

/// The sample, or silence for what no microphone gives: not a number, or far over full scale.
@_noLocks
func bounded(_ sample: Float) -> Float { sample.magnitude <= 8 ? sample : 0 }
