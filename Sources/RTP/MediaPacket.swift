import Realtime

/// A validated packet with its place in the stream. The payload is valid only during the call that hands it out.
public struct MediaPacket {
    /// Of the payload; inside a redundant packet (RFC 2198) that of the primary block.
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
    /// The blocks it came in; nil when it came alone.
    private let redundancy: RedundantPayload?

    init(
        payloadType: UInt8, marker: Bool, extendedSequence: Int64, extendedTimestamp: Int64, ssrc: UInt32,
        isNewSource: Bool, arrival: HostTime, payload: UnsafeRawBufferPointer, redundancy: RedundantPayload? = nil
    ) {
        self.payloadType = payloadType
        self.marker = marker
        self.extendedSequence = extendedSequence
        self.extendedTimestamp = extendedTimestamp
        self.ssrc = ssrc
        self.isNewSource = isNewSource
        self.arrival = arrival
        self.payload = payload
        self.redundancy = redundancy
    }

    /// The primary block of a packet of the redundancy type, its copies with it; nil when it is malformed.
    func unpacked() -> MediaPacket? {
        guard let blocks = try? RedundantPayload(parsing: payload) else { return nil }
        return MediaPacket(
            payloadType: blocks.primaryPayloadType, marker: marker, extendedSequence: extendedSequence,
            extendedTimestamp: extendedTimestamp, ssrc: ssrc, isNewSource: isNewSource, arrival: arrival,
            payload: blocks.primary, redundancy: blocks)
    }

    /// The copies of earlier content that came along, oldest first as a rule: with their own time stamps, and the
    /// sequence number of this packet, for blocks bear none. Copies in another payload type are left out: they are of
    /// another codec, or of another kind than this packet.
    public func forEachCopy(_ body: (MediaPacket) -> Void) {
        redundancy?.forEachCopy { copy in
            guard copy.payloadType == payloadType, copy.payload.count > 0, copy.timestampOffset > 0 else { return }
            body(
                MediaPacket(
                    payloadType: payloadType, marker: false, extendedSequence: extendedSequence,
                    extendedTimestamp: extendedTimestamp - Int64(copy.timestampOffset), ssrc: ssrc, isNewSource: false,
                    arrival: arrival, payload: copy.payload))
        }
    }
}
