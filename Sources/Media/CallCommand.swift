/// What a person or a program asks of a running call; carried to the media thread.
public enum CallCommand: Sendable, Equatable {
    /// Mute or unmute our voice.
    case mute(Bool)
    /// Hold or resume.
    case hold(Bool)
    /// Send digits as telephone events.
    case digits(String)
    /// Gain of what is heard, linear.
    case volume(Float)
    /// Say BYE and end the call.
    case hangUp(EndReason)
}
