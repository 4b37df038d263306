import DSP

/// What the alignment of the reference tells echo control with each block.
struct ReferenceAlignment: BitwiseCopyable {
    /// Whether the delay between reference and microphone is known.
    var isLocked = false
    /// Whether the reference was placed anew before this block: what the filters learnt of the path no longer holds.
    var hasMoved = false
    /// Whether the far end speaks in this block: its reference is over -50 dBFS.
    var farIsActive = false

    init() {}
}

/// How far echo control has come.
enum EchoControlPhase: BitwiseCopyable, Equatable {
    /// Nothing has been played yet.
    case waiting
    /// The far end speaks, its delay or the strength of its echo is not known yet: everything is suppressed.
    case acquiring
    /// The filters learn; the suppressor does most of the work.
    case converging
    /// The filters cancel; the suppressor takes what is left.
    case tracking
}

/// What one block told echo control.
struct EchoControlReadings: BitwiseCopyable {
    var phase = EchoControlPhase.waiting
    /// Near-end voice over the residual echo, 0 ... 1: with an active far end, the measure of double talk.
    var nearEndPresence: Float = 0
    /// Echo return loss enhancement of the linear filters alone: power of the microphone over that of what they leave,
    /// smoothed over about 300 ms of far-end speech; 1 (0 dB) until they cancel.
    var cancellation: Float = 1
    /// The path changed: the filters started anew in this block.
    var pathHasChanged = false

    init() {}
}

/// How much work echo control may do.
enum EchoControlEffort: BitwiseCopyable, Equatable {
    /// The Kalman filter alone.
    case low
    /// Kalman filter and SpeexDSP's, with a tail of 100 ms for the latter.
    case medium
    /// Kalman filter and SpeexDSP's, with a tail of 200 ms for the latter.
    case high
}
