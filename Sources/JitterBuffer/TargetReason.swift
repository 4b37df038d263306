/// Whose doing the delay is that a jitter buffer aims at.
public enum TargetReason: String, Sendable {
    /// How packets spread on their way.
    case network
    /// That, and the stops of the sender's machine, which tells of them and of more to come.
    case sender
}
