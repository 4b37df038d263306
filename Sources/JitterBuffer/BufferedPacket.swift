import Realtime

/// One media packet as the buffer takes it: numbers without wrap-around, and a payload that is copied on insertion.
public struct BufferedPacket {
    /// RTP sequence number extended over wrap-arounds (RFC 3550 appendix A.1).
    public var extendedSequence: Int64
    /// RTP timestamp extended over wrap-arounds, in RTP clock units.
    public var extendedTimestamp: Int64
    /// RTP marker: with audio the first packet after silence (RFC 3551 section 4.1).
    public var marker: Bool
    /// When the packet reached this host.
    public var arrival: HostTime
    /// Encoded audio; read only during `insert`.
    public var payload: UnsafeRawBufferPointer

    public init(
        extendedSequence: Int64, extendedTimestamp: Int64, marker: Bool = false, arrival: HostTime,
        payload: UnsafeRawBufferPointer
    ) {
        self.extendedSequence = extendedSequence
        self.extendedTimestamp = extendedTimestamp
        self.marker = marker
        self.arrival = arrival
        self.payload = payload
    }
}

/// What became of an inserted packet. Everything but `accepted` is counted in `JitterBufferStatistics`.
public enum InsertOutcome: Sendable, Equatable {
    /// Stored, to be played.
    case accepted
    /// Stored after the stream was started anew for the reason given.
    case acceptedAfterReset(ResetReason)
    /// Dropped: a packet of the same sequence number or timestamp is here.
    case duplicate
    /// Dropped: its audio has been played or concealed already.
    case late
    /// Dropped: empty, longer than a slot, not decodable, or numbers out of any range.
    case malformed
    /// Stored, but the oldest packet had to go because the buffer was full.
    case acceptedWithOverflow
}
