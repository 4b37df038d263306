/// Running totals since the buffer was made; they survive resets.
public struct JitterBufferStatistics: Sendable, Equatable {
    /// Packets offered to `insert`.
    public var inserted = 0
    /// Packets decoded and played.
    public var decoded = 0
    /// Packets that arrived after their sound was due.
    public var late = 0
    /// Packets offered twice.
    public var duplicate = 0
    /// Packets stored before one that had come earlier.
    public var reordered = 0
    /// Packets dropped because the buffer was full or the player had stalled.
    public var overflow = 0
    /// Packets that no decoder takes.
    public var malformed = 0
    /// Packets lost or late, recovered from the copy in the next one.
    public var fecUsed = 0
    /// Packets lost or late, replaced by their copy in a later one (RFC 2198).
    public var redundancyUsed = 0
    /// Gaps that began, whatever their length.
    public var concealments = 0
    /// Those of them that went beyond their first 60 ms.
    public var longConcealments = 0
    /// Milliseconds of invented sound in the first 60 ms of gaps.
    public var concealShortMs = 0.0
    /// Milliseconds of invented sound beyond the first 60 ms of gaps.
    public var concealLongMs = 0.0
    /// Milliseconds of comfort noise in the sender's pauses.
    public var comfortNoiseMs = 0.0
    /// Those of the invented milliseconds that were taken for a pause of the sender's, and found to be missing once its
    /// next packet came: they were heard before that, as comfort noise, and so `byReason` has them.
    public var concealedPauseMs = 0.0
    /// Milliseconds taken out to lower the delay.
    public var acceleratedMs = 0.0
    /// Milliseconds put in to raise the delay.
    public var deceleratedMs = 0.0
    /// Times the buffer ran empty while sound was due.
    public var underruns = 0
    /// Times the stream was started anew.
    public var resets = 0
    /// Milliseconds pulled by what the buffer did for them.
    public var byReason = ReasonDurations()
    /// Milliseconds pulled since the first packet.
    public var playedMs = 0.0

    /// Part of the played time that was invented, 0...1; nil before anything was played.
    public var concealedRatio: Double? {
        playedMs > 0 ? min(1, (concealShortMs + concealLongMs) / playedMs) : nil
    }

    public init() {}

    /// Adds what another buffer of the same stream counted.
    public mutating func add(_ other: JitterBufferStatistics) {
        inserted += other.inserted
        decoded += other.decoded
        late += other.late
        duplicate += other.duplicate
        reordered += other.reordered
        overflow += other.overflow
        malformed += other.malformed
        fecUsed += other.fecUsed
        redundancyUsed += other.redundancyUsed
        concealments += other.concealments
        longConcealments += other.longConcealments
        concealShortMs += other.concealShortMs
        concealLongMs += other.concealLongMs
        comfortNoiseMs += other.comfortNoiseMs
        concealedPauseMs += other.concealedPauseMs
        acceleratedMs += other.acceleratedMs
        deceleratedMs += other.deceleratedMs
        underruns += other.underruns
        resets += other.resets
        byReason.add(other.byReason)
        playedMs += other.playedMs
    }
}
