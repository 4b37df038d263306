import Realtime

/// What came back in a call for about a second, and when the packets left in which it may be found: for whoever looks for the one in the
/// other once there is time (`EchoEar`).
struct HeardStretch: Sendable {
    /// One that came back, and has not been there before.
    struct Packet {
        let arrival: HostTime
        /// Whether it follows the one before.
        let isNext: Bool
        /// Packets that had been sent by then.
        let packetsSent: Int
        /// Where its payload lies in `bytes`.
        let payload: Range<Int>
    }

    /// Nobody sends so many in the time of a stretch, but to fill a memory.
    private static let packetsKept = 2048

    private(set) var packets: [Packet] = []
    private(set) var bytes: [UInt8] = []
    /// When packets left, from number `firstSent` on.
    private(set) var sentAt: [HostTime] = []
    let firstSent: Int

    /// - Parameter firstSent: the number of the packet that is sent next.
    init(firstSent: Int) { self.firstSent = firstSent }

    mutating func noteSent(at time: HostTime) { sentAt.append(time) }

    mutating func noteHeard(_ payload: UnsafeRawBufferPointer, arrival: HostTime, isNext: Bool) {
        guard packets.count < Self.packetsKept else { return }
        let start = bytes.count
        bytes.append(contentsOf: payload)
        packets.append(
            Packet(arrival: arrival, isNext: isNext, packetsSent: firstSent + sentAt.count, payload: start..<bytes.count))
    }
}
