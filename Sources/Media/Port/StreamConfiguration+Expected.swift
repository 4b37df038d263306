import Link
import RTP

extension StreamConfiguration {
    /// The RTP payload types that such a stream takes: a packet of another type proves nothing about its source.
    public var expectedPayloadTypes: PayloadTypeSet {
        PayloadTypeTable(receivedFormats, redundancy: redundancyPayloadTypes, usualClock: format.clockRate).known
    }
}
