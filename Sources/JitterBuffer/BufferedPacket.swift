import Realtime

/// One media packet as the buffer takes it: numbers without wrap-around, and a payload that is copied on insertion.
public struct BufferedPacket {
    /// RTP sequence number extended over wrap-arounds (RFC 3550 appendix A.1); of a copy that of the packet it came in.
    public var extendedSequence: Int64
    /// RTP timestamp extended over wrap-arounds, in RTP clock units; of a copy that of the media it repeats.
    public var extendedTimestamp: Int64
    /// A redundant copy (RFC 2198) of media that an earlier packet carried.
    ///
    /// What a copy repeats is known by its timestamp alone, for redundant blocks bear no sequence number. It is a carrier
    /// like any other (it may hold in-band FEC of its own), but says nothing about the stream: it neither starts one nor
    /// interrupts it, and counts as no packet received, duplicate or late; one that is not needed is dropped in silence.
    /// `ReceivePath` inserts the packet itself first, then its copies, oldest first, all with the same arrival.
    public var isCopy: Bool
    /// Level and spectrum of the sender's background (RFC 3389) instead of audio: it stands until audio follows.
    public var isComfortNoise: Bool
    /// RTP marker: with audio the first packet after silence (RFC 3551 section 4.1).
    public var marker: Bool
    /// When the packet reached this host.
    public var arrival: HostTime
    /// Encoded audio; read only during `insert`.
    public var payload: UnsafeRawBufferPointer

    public init(
        extendedSequence: Int64, extendedTimestamp: Int64, isCopy: Bool = false, marker: Bool = false, arrival: HostTime,
        payload: UnsafeRawBufferPointer, isComfortNoise: Bool = false
    ) {
        self.extendedSequence = extendedSequence
        self.extendedTimestamp = extendedTimestamp
        self.isCopy = isCopy
        self.isComfortNoise = isComfortNoise
        self.marker = marker
        self.arrival = arrival
        self.payload = payload
    }
}

/// What became of an inserted packet. Everything but `accepted` is counted in `JitterBufferStatistics`, save for copies.
public enum InsertOutcome: Sendable, Equatable {
    /// Stored, to be played.
    case accepted
    /// Dropped: a copy of what is here or has been played, or of what belongs to no stream yet.
    case unneeded
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
