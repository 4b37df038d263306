/// How far the stream has been decoded.
package struct PlayoutCursor {
    /// First sample that was neither decoded nor given up, on the stream's sample axis.
    package var position: Int64 = 0
    /// Extended sequence number of the packet decoded last.
    package var sequence: Int64 = 0
    /// Samples of the packet decoded last.
    package var duration: Int64 = 0
    /// Whether the sender fell silent: its last packet said so (Opus DTX: at most two bytes; RFC 3389), or its timestamps
    /// went on without packets.
    package var isInSilence = false

    package init() {}

    /// Goes to the start of `packet`, which comes next.
    mutating func go(to packet: StoredPacket) {
        position = packet.position
        sequence = packet.sequence &- 1
    }

    /// Goes to the end of `packet`, which has been decoded.
    mutating func pass(_ packet: StoredPacket) {
        position = packet.end
        sequence = packet.sequence
        duration = packet.duration
    }
}
