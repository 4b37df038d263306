import DSP

/// What the alignment of the reference tells echo control with each block.
package struct ReferenceAlignment: BitwiseCopyable {
    /// Whether the delay between reference and microphone is known.
    package var isLocked = false
    /// Whether the reference was placed anew before this block: what the filters learnt of the path no longer holds.
    package var hasMoved = false
    /// Whether the microphone holds no echo, as far as can be told before the delay is known.
    package var hasNoEcho = false
    /// Whether the far end speaks in this block: its reference is over -50 dBFS.
    package var farIsActive = false

    /// Nothing known yet.
    package init() {}
}

/// How far echo control has come.
package enum EchoControlPhase: BitwiseCopyable, Equatable {
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
package struct EchoControlReadings: BitwiseCopyable {
    /// How far it has come.
    package var phase = EchoControlPhase.waiting
    /// Near-end voice over the residual echo, 0 ... 1: with an active far end, the measure of double talk.
    package var nearEndPresence: Float = 0
    /// Whether somebody at the near end is confirmed to have been heard lately: louder than all the echo there could be.
    package var nearEndIsConfirmed = false
    /// Whether what is heard may be the room's tail after an echo.
    package var mayBeTail = false
    /// Echo return loss enhancement of the linear filters alone: power of the microphone over that of what they leave,
    /// smoothed over about 300 ms of far-end speech; 1 (0 dB) until they cancel.
    package var cancellation: Float = 1
    /// The path changed: the filters started anew in this block.
    package var pathHasChanged = false

    /// Nothing known yet.
    package init() {}
}

/// How much work echo control may do.
package enum EchoControlEffort: BitwiseCopyable, Equatable {
    /// The Kalman filter alone, held to causal responses half as often.
    case low
    /// Kalman filter and SpeexDSP's, with a tail of 40 ms for the latter.
    case medium
    /// Kalman filter and SpeexDSP's, with a tail of 60 ms for the latter.
    case high

    /// `KalmanFilter.constraints`.
    var constraints: Int {
        @_noLocks get { self == .low ? 1 : 2 }
    }
}
