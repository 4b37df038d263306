import Synchronization

/// What is wrong, or worth knowing, about the signals echo control gets and leaves; judged block by block of 10 ms.
struct VoiceHealth: BitwiseCopyable {
    private let tuning: VoiceHealthTuning
    private let activity: ActivityTuning
    private var referenceSilent = 0
    private var microphoneSilent = 0
    private var clipping: Float = 0
    private var isClipping = false
    private var unlockedFarBlocks = 0
    private var audibleBlocks = 0
    private var isAudible = false

    init(tuning: VoiceHealthTuning = VoiceHealthTuning(), activity: ActivityTuning = ActivityTuning()) {
        self.tuning = tuning
        self.activity = activity
    }

    /// Whether so much far-end speech left no echo that there is none: a headset.
    var hasNoEchoPath: Bool {
        @_noLocks get { unlockedFarBlocks >= tuning.echolessBlocks }
    }

    /// Takes in a block.
    ///
    /// - Parameters:
    ///   - microphone: the block, `count` samples.
    ///   - reference: its reference, likewise.
    ///   - reading: what echo control made of it.
    ///   - monitor: what was measured up to this block.
    @_noLocks
    mutating func update(
        microphone: UnsafePointer<Float>, reference: UnsafePointer<Float>, count: Int, reading: EchoStage.Reading,
        monitor: EchoMonitor, meters: UnsafePointer<EchoMeters>
    ) {
        var highest: Float = 0
        var run = 0
        var longest = 0
        var played: Float = 0
        for index in 0..<count {
            let size = microphone[index].magnitude
            highest = max(highest, size)
            run = size >= tuning.fullScale ? run &+ 1 : 0
            longest = max(longest, run)
            played = max(played, reference[index].magnitude)
        }
        microphoneSilent = highest == 0 ? min(microphoneSilent &+ 1, 1_000_000) : 0
        referenceSilent = played == 0 ? min(referenceSilent &+ 1, 1_000_000) : 0
        clipping = clipping * tuning.clippingDecay + (longest >= tuning.clippedRun ? tuning.clippingStep : 0)
        isClipping = clipping > (isClipping ? tuning.clippingClear : tuning.clippingSet)
        unlockedFarBlocks =
            reading.alignment.isLocked ? 0 : unlockedFarBlocks &+ (reading.alignment.farIsActive ? 1 : 0)
        judgeEcho(reading, monitor)
        let presence = reading.presence ?? 0
        meters.pointee.tellsDoubleTalk.store(reading.presence != nil, ordering: .relaxed)
        meters.pointee.doubleTalk.store(monitor.isFarActive && presence > activity.surePresence, ordering: .relaxed)
        meters.pointee.referenceIsSilent.store(referenceSilent >= tuning.silentBlocks, ordering: .relaxed)
        meters.pointee.microphoneIsSilent.store(microphoneSilent >= tuning.silentBlocks, ordering: .relaxed)
        meters.pointee.microphoneIsClipping.store(isClipping, ordering: .relaxed)
        meters.pointee.hasNoEchoPath.store(
            reading.presence != nil && hasNoEchoPath, ordering: .relaxed)
        meters.pointee.echoIsAudible.store(isAudible, ordering: .relaxed)
    }

    /// Without an echo path what is left is no echo; while the near end speaks nothing can be told.
    @_noLocks
    private mutating func judgeEcho(_ reading: EchoStage.Reading, _ monitor: EchoMonitor) {
        guard reading.alignment.farIsActive, (reading.presence ?? 0) < activity.presence, let ratio = monitor.ratio else {
            return
        }
        let isLocated = reading.presence == nil || reading.alignment.isLocked
        let isHeard = isLocated && monitor.residualPower > tuning.audiblePower && ratio < tuning.audibleRatio
        audibleBlocks = isHeard ? min(audibleBlocks &+ 1, tuning.patience) : max(0, audibleBlocks &- tuning.recovery)
        if audibleBlocks == tuning.patience { isAudible = true }
        if audibleBlocks == 0 { isAudible = false }
    }
}
