import Synchronization

/// What is wrong, or worth knowing, about the signals echo control gets and leaves; judged block by block of 10 ms.
struct VoiceHealth: BitwiseCopyable {
    private var referenceSilent = 0
    private var microphoneSilent = 0
    private var clipping: Float = 0
    private var isClipping = false
    private var unlockedFarBlocks = 0
    private var audibleBlocks = 0
    private var isAudible = false

    /// Blocks of digital silence before it is told: 1 s.
    private static var silentBlocks: Int { @_noLocks get { 100 } }
    /// Samples this close to full scale, three in a row, are clipped.
    private static var fullScale: Float { @_noLocks get { 0.985 } }
    /// Blocks of far-end speech in which no echo was found: 6 s.
    private static var echolessBlocks: Int { @_noLocks get { 600 } }
    /// Residual echo over -50 dBFS is heard, when it is not at least 10 dB down.
    private static var audiblePower: Float { @_noLocks get { 1e-5 } }
    /// Blocks of far-end speech for which it must be so: 3 s.
    private static var patience: Int { @_noLocks get { 300 } }

    init() {}

    /// Whether so much far-end speech left no echo that there is none: a headset.
    var hasNoEchoPath: Bool {
        @_noLocks get { unlockedFarBlocks >= Self.echolessBlocks }
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
            run = size >= Self.fullScale ? run &+ 1 : 0
            longest = max(longest, run)
            played = max(played, reference[index].magnitude)
        }
        microphoneSilent = highest == 0 ? min(microphoneSilent &+ 1, 1_000_000) : 0
        referenceSilent = played == 0 ? min(referenceSilent &+ 1, 1_000_000) : 0
        // Five clipped blocks in about a second set it, three seconds without one take it back.
        clipping = clipping * 0.99 + (longest >= 3 ? 0.2 : 0)
        isClipping = isClipping ? clipping > 0.04 : clipping > 0.8
        unlockedFarBlocks =
            reading.alignment.isLocked ? 0 : unlockedFarBlocks &+ (reading.alignment.farIsActive ? 1 : 0)
        judgeEcho(reading, monitor)
        let presence = reading.presence ?? 0
        meters.pointee.tellsDoubleTalk.store(reading.presence != nil, ordering: .relaxed)
        meters.pointee.doubleTalk.store(monitor.isFarActive && presence > 0.5, ordering: .relaxed)
        meters.pointee.referenceIsSilent.store(referenceSilent >= Self.silentBlocks, ordering: .relaxed)
        meters.pointee.microphoneIsSilent.store(microphoneSilent >= Self.silentBlocks, ordering: .relaxed)
        meters.pointee.microphoneIsClipping.store(isClipping, ordering: .relaxed)
        meters.pointee.hasNoEchoPath.store(
            reading.presence != nil && hasNoEchoPath, ordering: .relaxed)
        meters.pointee.echoIsAudible.store(isAudible, ordering: .relaxed)
    }

    /// Without an echo path what is left is no echo; while the near end speaks nothing can be told.
    @_noLocks
    private mutating func judgeEcho(_ reading: EchoStage.Reading, _ monitor: EchoMonitor) {
        guard reading.alignment.farIsActive, (reading.presence ?? 0) < 0.3, let ratio = monitor.ratio else { return }
        let isLocated = reading.presence == nil || reading.alignment.isLocked
        let isHeard = isLocated && monitor.residualPower > Self.audiblePower && ratio < 10
        audibleBlocks = isHeard ? min(audibleBlocks &+ 1, Self.patience) : max(0, audibleBlocks &- 3)
        if audibleBlocks == Self.patience { isAudible = true }
        if audibleBlocks == 0 { isAudible = false }
    }
}
