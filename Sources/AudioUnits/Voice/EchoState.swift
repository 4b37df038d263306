import Glibc
import Synchronization

/// How echo control is doing. What has not been measured yet is nil.
public struct EchoState: Sendable, Equatable {
    /// Whether the echo has been at least 10 dB down for the last half second of far-end speech.
    public var converged = false
    /// Echo return loss enhancement of canceller and suppressor together, in dB, over far-end speech.
    public var erleDB: Double?
    /// How long after a sound is at the loudspeaker, by the device's time stamps, its echo begins at the microphone, as the
    /// audio has it, in milliseconds: the room, and what buffers no driver tells of add. Less than 0 where stamps are late.
    public var delayMs: Double?
    /// Rate of the capture clock against the playback clock, in parts per million: by the audio after a second of echo, by
    /// the time stamps from the fifth second on with SpeexDSP alone.
    public var driftPPM: Double?
    /// Times the reference was moved because the echo was elsewhere.
    public var realignCount = 0
    /// Blocks for which the reference was not (or no longer) there and silence stood in.
    public var starvedBlocks = 0
    /// Whether both sides speak; nil with SpeexDSP alone, which does not tell.
    public var doubleTalk: Bool?
    /// Whether nothing at all has been played for a second.
    public var referenceIsSilent = false
    /// Whether the microphone has given zeros for a second: it is muted somewhere else.
    public var microphoneIsSilent = false
    /// Whether the microphone is overdriven.
    public var microphoneIsClipping = false
    /// Whether 6 s of far-end speech left no echo: a headset, or a loudspeaker that is off.
    public var hasNoEchoPath = false
    /// Whether the other side hears its own voice: echo over -50 dBFS and less than 10 dB down for 3 s.
    public var echoIsAudible = false

    public init() {}
}

/// The render thread's side of `EchoState`: plain numbers, turned into decibels by who reads.
struct EchoMeters: ~Copyable {
    let converged = Atomic<Bool>(false)
    let erleRatio = Atomic<UInt64>(Double.nan.bitPattern)
    let delayMilliseconds = Atomic<UInt64>(Double.nan.bitPattern)
    let driftPPM = Atomic<UInt64>(Double.nan.bitPattern)
    let realigns = Atomic<Int>(0)
    let starved = Atomic<Int>(0)
    let tellsDoubleTalk = Atomic<Bool>(false)
    let doubleTalk = Atomic<Bool>(false)
    let referenceIsSilent = Atomic<Bool>(false)
    let microphoneIsSilent = Atomic<Bool>(false)
    let microphoneIsClipping = Atomic<Bool>(false)
    let hasNoEchoPath = Atomic<Bool>(false)
    let echoIsAudible = Atomic<Bool>(false)
}

extension EchoMeters {
    /// The meters as people read them.
    var state: EchoState {
        var copy = EchoState()
        copy.converged = converged.load(ordering: .relaxed)
        copy.erleDB = Self.number(erleRatio).map { 10 * log10($0) }
        copy.delayMs = Self.number(delayMilliseconds)
        copy.driftPPM = Self.number(driftPPM)
        copy.realignCount = realigns.load(ordering: .relaxed)
        copy.starvedBlocks = starved.load(ordering: .relaxed)
        copy.doubleTalk = tellsDoubleTalk.load(ordering: .relaxed) ? doubleTalk.load(ordering: .relaxed) : nil
        copy.referenceIsSilent = referenceIsSilent.load(ordering: .relaxed)
        copy.microphoneIsSilent = microphoneIsSilent.load(ordering: .relaxed)
        copy.microphoneIsClipping = microphoneIsClipping.load(ordering: .relaxed)
        copy.hasNoEchoPath = hasNoEchoPath.load(ordering: .relaxed)
        copy.echoIsAudible = echoIsAudible.load(ordering: .relaxed)
        return copy
    }

    /// Forgets what was found in a session that is over.
    func forget() {
        converged.store(false, ordering: .relaxed)
        erleRatio.store(Double.nan.bitPattern, ordering: .relaxed)
        delayMilliseconds.store(Double.nan.bitPattern, ordering: .relaxed)
        driftPPM.store(Double.nan.bitPattern, ordering: .relaxed)
        realigns.store(0, ordering: .relaxed)
        starved.store(0, ordering: .relaxed)
        tellsDoubleTalk.store(false, ordering: .relaxed)
        doubleTalk.store(false, ordering: .relaxed)
        referenceIsSilent.store(false, ordering: .relaxed)
        microphoneIsSilent.store(false, ordering: .relaxed)
        microphoneIsClipping.store(false, ordering: .relaxed)
        hasNoEchoPath.store(false, ordering: .relaxed)
        echoIsAudible.store(false, ordering: .relaxed)
    }

    private static func number(_ bits: borrowing Atomic<UInt64>) -> Double? {
        let value = Double(bitPattern: bits.load(ordering: .relaxed))
        return value.isNaN ? nil : value
    }
}
