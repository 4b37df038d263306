import Link

/// What a person, a program or signalling asks of a running call; carried to the media thread.
public enum CallCommand: Sendable, Equatable {
    /// Mute or unmute our voice.
    case mute(Bool)
    /// Which way our media are to go: what the person wants, whatever the other side does. `inactive` is a plain hold, `sendOnly`
    /// one with music.
    case direction(MediaDirection)
    /// Send in another format from the next frame on: codec, payload type, packet length.
    case send(SendingFormat)
    /// Take these formats from now on, each by its payload type; none changes nothing. The stream's rate stays what it was.
    case receive([MediaFormat])
    /// Send digits as telephone events.
    case digits(String)
    /// Gain of what is heard, linear.
    case volume(Float)
    /// What signalling tells.
    case signal(CallSignal)
    /// RTCP of both sides together takes no more than that, in bit/s; 0: none is sent; `nil`: the usual share.
    case controlBandwidth(Double?)
    /// Copy both sides from the next frame on for whoever listens beside the call; `nil`: no more.
    case tap(CallTap?)
    /// Say BYE and end the call.
    case hangUp(EndReason)
}
