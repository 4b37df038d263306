import Realtime

/// A validated packet with its place in the stream. The payload is valid only during the call that hands it out.
public struct MediaPacket {
    public let payloadType: UInt8
    /// First packet after silence (RFC 3551 section 4.1).
    public let marker: Bool
    /// Sequence number carried past its wraps; comparable only between packets of one source.
    public let extendedSequence: Int64
    /// Time stamp in clock units carried past its wraps; comparable only between packets of one source.
    public let extendedTimestamp: Int64
    public let ssrc: UInt32
    /// First packet of a source, or of a source that restarted its numbering: buffers start anew.
    /// `RTPReceiver.deliverHeldPacket` then hands out the packet that preceded it, if there was one.
    public let isNewSource: Bool
    /// When the datagram arrived.
    public let arrival: HostTime
    public let payload: UnsafeRawBufferPointer
}
