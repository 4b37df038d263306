import Link
import Realtime

/// The last packet of a source under probation, kept so that validation costs no audio.
struct HeldPacket {
    /// Longer payloads are not kept: no audio packet of a call is.
    private static var capacity: Int { PacketLimits.payloadBytes }
    /// Room made at once; only a longer payload, as L16 has at high rates, asks for more.
    private static let usualBytes = 2048

    private(set) var kind = PayloadKind.audio
    /// The next packet followed in sequence: `take` has something to give.
    private(set) var isReady = false

    private var header: RTPHeader?
    private var extendedSequence: Int64 = 0
    private var extendedTimestamp: Int64 = 0
    private var arrival = HostTime.zero
    private var payload: [UInt8] = []

    init() { payload.reserveCapacity(Self.usualBytes) }

    mutating func keep(_ packet: RTPPacket, kind: PayloadKind, arrival: HostTime) {
        isReady = false
        header = nil
        guard packet.payload.count > 0, packet.payload.count <= Self.capacity else { return }
        header = packet.header
        self.kind = kind
        self.arrival = arrival
        payload.removeAll(keepingCapacity: true)
        payload.append(contentsOf: packet.payload)
    }

    /// Ready when `next`, the packet that validated the source, follows the kept one.
    mutating func follow(_ next: RTPHeader, extended: Int64, extendedTimestamp: Int64) {
        guard let header, header.ssrc == next.ssrc, header.sequence == next.sequence &- 1 else { return discard() }
        isReady = true
        extendedSequence = extended - 1
        self.extendedTimestamp = extendedTimestamp - Int64(Int32(bitPattern: next.timestamp &- header.timestamp))
    }

    mutating func discard() {
        isReady = false
        header = nil
    }

    mutating func take(_ body: (MediaPacket) -> Void) {
        guard isReady, let header else { return }
        payload.withUnsafeBytes { bytes in
            body(
                MediaPacket(
                    payloadType: header.payloadType, marker: header.marker, extendedSequence: extendedSequence,
                    extendedTimestamp: extendedTimestamp, ssrc: header.ssrc, isNewSource: true, arrival: arrival,
                    payload: bytes))
        }
        discard()
    }
}
