/// Timer values of RFC 3261 section 17, in milliseconds.
public struct TimerSettings: Hashable, Sendable {
    /// Estimate of the round trip.
    public var t1: Double
    /// Longest time between two sendings of a non-INVITE request or of a response to INVITE.
    public var t2: Double
    /// Longest time that a message stays in the network.
    public var t4: Double
    /// The timeout is no longer than that; nil: as T1 says.
    var most: Double?

    public init(t1: Double = 500, t2: Double = 4000, t4: Double = 5000) {
        self.t1 = t1
        self.t2 = t2
        self.t4 = t4
    }

    /// Timers B, F, H, J, L and M: 64 times T1.
    public var timeout: Double { min(64 * t1, most ?? .infinity) }
    /// Timer D on an unreliable transport: longer than 32 s.
    public var d: Double { max(32_000, timeout) }
}
