import Glibc
import Synchronization

/// How echo control is doing. What has not been measured yet is nil.
public struct EchoState: Sendable, Equatable {
    /// Whether the echo has been at least 10 dB down for the last half second of far-end speech.
    public var converged = false
    /// Echo return loss enhancement of canceller and suppressor together, in dB, over far-end speech.
    public var erleDB: Double?
    /// Time from playing the reference to its echo's block, as placed by the aligner, in milliseconds: how much older
    /// the rendered sound is than the microphone block it is held against.
    public var delayMs: Double?
    /// Rate of the capture clock against the playback clock, in parts per million; from the fifth second on.
    public var driftPPM: Double?
    /// Times the reference was moved because it had run away.
    public var realignCount = 0
    /// Blocks for which the reference was not (or no longer) there and silence stood in.
    public var starvedBlocks = 0
    /// Whether both sides speak; nil because SpeexDSP does not tell.
    public var doubleTalk: Bool?

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
        return copy
    }

    private static func number(_ bits: borrowing Atomic<UInt64>) -> Double? {
        let value = Double(bitPattern: bits.load(ordering: .relaxed))
        return value.isNaN ? nil : value
    }
}
