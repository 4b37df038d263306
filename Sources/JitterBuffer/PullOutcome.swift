/// What one pull did, for displays and dumps.
public struct PullOutcome: Sendable, Equatable {
    /// The most notable operation that made this block.
    public var reason: PlayoutReason
    /// Target of the buffering delay in milliseconds: what a packet of the fastest kind waits from its arrival until
    /// its first sample is needed.
    public var targetMs: Double
    /// Sound that can be played without a further packet, in milliseconds, after this pull: decoded samples kept
    /// inside plus packets that follow without a gap. It is the time until the newest such sample has been pulled.
    public var levelMs: Double
    /// Media time of the sample that follows this block, in milliseconds since the stream's first packet; nil while
    /// nothing plays. Time of the pull less this is the stream's delay, but for a constant.
    public var mediaMilliseconds: Double?
    /// Samples written: always the whole block (silence where there was nothing).
    public var samples: Int
}
